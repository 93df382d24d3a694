"""`python -m rex`: the `rex` command."""

from rex.cli.main import main

if __name__ == "__main__":
    main()
