/* Finds `model.test` on this machine once the file named by MODEL_TEST_FILE exists, and no such name before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int look_up(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	look_up *next = (look_up *)dlsym(RTLD_NEXT, "getaddrinfo");
	if (name && strcmp(name, "model.test") == 0) {
		const char *path = getenv("MODEL_TEST_FILE");
		if (!path || access(path, F_OK) != 0)
			return EAI_NONAME;
		name = "127.0.0.1";
	}
	return next(name, service, hints, found);
}
