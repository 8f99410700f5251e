"""The version of this program, for the headers of its files."""


def version() -> str:
    """The installed version, as in `1.0.0`; `unknown` if the program is not installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of_package

    try:
        return of_package("cliquewise")
    except PackageNotFoundError:
        return "unknown"
