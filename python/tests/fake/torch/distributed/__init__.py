from torch.distributed.distributed_c10d import get_backend, get_rank, get_world_size, init_process_group
