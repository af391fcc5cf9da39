/* What LLVM and libstdc++ call and glibc 2.28 does not have, in terms of what it has. Linked into wheels by
   portable_linker.py, where these names are hidden. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Before 2.33 `stat` and its relatives were inline functions that called these. On x86-64 the layout of
   `struct stat` has the number 1, that of device numbers 0, and `struct stat64` is the same. */
int __xstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int file, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstatat(int version, int folder, const char *path, struct stat *status, int flags);
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);

int stat(const char *path, struct stat *status) { return __xstat(1, path, status); }
int fstat(int file, struct stat *status) { return __fxstat(1, file, status); }
int lstat(const char *path, struct stat *status) { return __lxstat(1, path, status); }
int fstatat(int folder, const char *path, struct stat *status, int flags) {
  return __fxstatat(1, folder, path, status, flags);
}
int stat64(const char *path, struct stat64 *status) { return __xstat(1, path, (struct stat *)status); }
int fstat64(int file, struct stat64 *status) { return __fxstat(1, file, (struct stat *)status); }
int lstat64(const char *path, struct stat64 *status) { return __lxstat(1, path, (struct stat *)status); }
int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
  return __fxstatat(1, folder, path, (struct stat *)status, flags);
}
int mknod(const char *path, mode_t mode, dev_t device) { return __xmknod(0, path, mode, &device); }

/* 2.30 */
pid_t gettid(void) { return syscall(SYS_gettid); }

/* 2.32: libstdc++ counts references atomically unless this says that there is one thread. */
char __libc_single_threaded = 0;

/* 2.33: LLVM asks how much memory is in use, for its statistics. */
struct mallinfo2 mallinfo2(void) {
  struct mallinfo2 wide;
  memset(&wide, 0, sizeof wide);
  return wide;
}

/* 2.36: the seed of libstdc++'s random_device. */
uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}
