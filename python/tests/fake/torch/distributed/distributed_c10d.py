_group = None


def init_process_group(backend="nccl", rank=0, world_size=1):
    global _group
    _group = (backend, rank, world_size)


def get_backend():
    return _group[0]


def get_rank():
    return _group[1]


def get_world_size():
    return _group[2]
