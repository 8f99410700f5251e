"""`python -m cliquewise`: the command `cliquewise`, where the folder of the console scripts is not on the path."""

from .workflow.__main__ import main

if __name__ == "__main__":
    main()
