"""``python -m askance``: the same as the command ``askance``."""

from askance.cli import app

if __name__ == "__main__":
    app(prog_name="askance")
