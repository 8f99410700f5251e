"""The score that mplearn maximises."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BlanketScoring:
    """The score to maximise.

    Attributes
    ----------
    kind : str
        mpl, pic or cmi.
    ess : float
        Of mpl, > 0.
    prior : str
        Of mpl, one of `mplearn.priors.PRIORS`.
    penalty : str
        Of pic, one of `common.files.header_words.PENALTIES`.
    threshold : float
        Of cmi, in nats, >= 0.
    """

    kind: str = "mpl"
    ess: float = 1.0
    prior: str = "uniform"
    penalty: str = "printed"
    threshold: float = 0.0
