from torch.autograd import profiler


def _record_function_with_args_enter(*_):
    pass


def _record_function_with_args_exit(_):
    pass
