/* Loads an FMU's library and finds the functions of FMI 2.0 in it. */
#include "host.h"

#include <dlfcn.h>
#include <stdio.h>

struct Library fmu;

bool library_open(struct Library *library, const char *path)
{
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) {
        printf("FAILED library.c: the library cannot be loaded: %s\n", dlerror());
        return false;
    }
    bool complete = true;
#define X(name)                                                                                              \
    library->name = (fmi2##name##TYPE *)dlsym(library->handle, "fmi2" #name);                                \
    if (!library->name) {                                                                                    \
        printf("FAILED library.c: the library does not export fmi2" #name "\n");                             \
        complete = false;                                                                                    \
    }
    EACH_FUNCTION(X)
#undef X
    return complete;
}

void library_close(struct Library *library)
{
    dlclose(library->handle);
    library->handle = NULL;
}
