/* A folder of its own for a test that writes files. */
#ifndef DLP_TEST_FOLDER_H
#define DLP_TEST_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

static char test_folder[PATH_SIZE / 2];

/* "FOLDER/NAME"; two may be in use at once. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][PATH_SIZE];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", test_folder, name);
    return paths[next];
}

static inline int make_test_folder(void **state)
{
    (void)state;
    const char *place = getenv("TMPDIR");
    snprintf(test_folder, sizeof test_folder, "%s/dollop-test-XXXXXX", place != NULL ? place : "/tmp");
    return mkdtemp(test_folder) == NULL;
}

static inline void remove_tree(const char *path)
{
    DIR *entries = opendir(path);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char inside[2 * PATH_SIZE];
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) >= (int)sizeof inside) continue;
        if (unlink(inside) != 0) remove_tree(inside);
    }
    if (entries != NULL) closedir(entries);
    rmdir(path);
}

static inline int remove_test_folder(void **state)
{
    (void)state;
    chmod(test_folder, 0700);
    remove_tree(test_folder);
    return 0;
}

#endif
