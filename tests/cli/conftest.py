"""How tests run the command line."""

import pytest

from datakin.cli import main


@pytest.fixture
def call_main(capsys):
    """Run a command in this process; return exit code, standard output and standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return stopped.value.code, out, err

    return call
