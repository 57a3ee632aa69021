from torch.utils.data import dataloader
