/* Delays each sync by as many milliseconds as the file named by SLOW_SYNC_FILE says: a disk that is slow, or hangs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void delay(void)
{
	const char *path = getenv("SLOW_SYNC_FILE");
	FILE *file = path ? fopen(path, "r") : NULL;
	long milliseconds = 0;
	if (file) {
		if (fscanf(file, "%ld", &milliseconds) != 1)
			milliseconds = 0;
		fclose(file);
	}
	struct timespec left = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
	while (nanosleep(&left, &left) != 0)
		;
}

int fdatasync(int descriptor)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
	delay();
	return next(descriptor);
}

int fsync(int descriptor)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	delay();
	return next(descriptor);
}
