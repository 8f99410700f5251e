"""Which version of this program it is, for the header of what it writes."""


def version():
    """The installed version, as in `0.1.0`; `unknown` where the program runs without being installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of_package

    try:
        return of_package("cliquewise")
    except PackageNotFoundError:
        return "unknown"
