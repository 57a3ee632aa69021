class _BaseDataLoaderIter:
    left = 2

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self.left
