"""States that are two words for one answer, as `ja` and `yes`, in a column of yes and no, or of sexes.

Tables joined from several hospitals or countries have them. Each word is a state of its own, so that the dependences of
the answer are divided among them, and what remains may be too weak to be found.
"""

from __future__ import annotations

from collections.abc import Iterable

from .spellings import folded

# the words of each answer, answers that exclude each other in a row
QUESTIONS = (
    (
        {*"yes y true ja j wahr oui vrai si sí sì sim verdadero vero tak да evet はい 是".split()},
        {*"no n false nein falsch non faux não nao falso nej nee nie нет hayır いいえ 否".split()},
    ),
    (
        {*"female f woman w weiblich frau femme féminin mujer femenino femmina feminino kvinna kvinde vrouw".split()},
        {*"male m man männlich mann homme masculin hombre masculino maschio mand".split()},
    ),
)


def synonyms(labels: Iterable[str]) -> tuple[str, ...]:
    """Two labels that are words for one answer; none if there are no such.

    Both answers to the question must occur, and at most as many labels may be no answers to it. Labels that differ in
    case or blanks are one word.

    Examples
    --------
    >>> synonyms(["yes", "no", "ja", "nein"])
    ('ja', 'yes')
    >>> synonyms(["F", "m", "male", "not asked"])
    ('m', 'male')
    >>> synonyms(["no", "No", "yes"]), synonyms(["y", "n", "no", "b", "c", "o", "he"])
    ((), ())
    """
    words = {folded(label): label for label in labels}
    for question in QUESTIONS:
        answers = [sorted(word for word in words if word in answer) for answer in question]
        known = sum(map(len, answers))
        if all(answers) and 2 * known >= len(words):
            for found in answers:
                if len(found) > 1:
                    return words[found[0]], words[found[1]]
    return ()
