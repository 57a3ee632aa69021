from torch.nn import modules
from torch.nn.modules.module import Module
