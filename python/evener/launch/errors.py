"""What keeps a host of a job from starting."""


class LaunchError(RuntimeError):
    """Said in one line, with what to do; the process ends with EXIT_CODE."""

    EXIT_CODE = 2
