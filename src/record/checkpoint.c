// Checkpoints as HDF5 images in memory. The layout of the file, behind its header of 512 bytes:
//
//   /                  attributes checkpoint_version, library_version, frame, time, particle_count
//   /scene             the resolved scene, a fixed-length string
//   /state/PART/NAME   one table of count x components per item of the manifest, in chunks, shuffled,
//                      deflated and checksummed
//
// The library never gives HDF5 a file: an image is packed in memory and then written beside and renamed,
// and a file is read whole and checked before HDF5 sees it. So a full disk or a damaged file is our error,
// with our message. Without HDF5 all of it answers DLP_UNSUPPORTED.
#include "record/checkpoint.h"
#include "record/file_io.h"
#include "record/checkpoint_header.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void dlp_checkpoint_info_release(dlp_checkpoint_info *info)
{
    dlp_free(info->scene);
    *info = (dlp_checkpoint_info){0};
}

#ifdef DLP_HAVE_HDF5

#include <hdf5.h>
#include <pthread.h>

enum {
    CHUNK_BYTES = 1 << 18,  // of a dataset, before compression
    IMAGE_STEP = 1 << 22,   // bytes by which the image in memory grows
    SCENE_LIMIT = 1 << 26,  // bytes of the scene's text
    LARGEST_DEFLATION =
        1032  // deflate shrinks nothing by more than this factor: a bound on what a file can hold
};

// The HDF5 library keeps state of its own and may not be entered by two threads at once. The only mutable
// global here: it guards HDF5's own.
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

// The host's own error printer of HDF5, put back when we leave: the library must not print, and must not
// change what a host has set.
typedef struct hdf5_visit {
    H5E_auto2_t print;
    void *print_context;
} hdf5_visit;

// Takes the lock; every call of HDF5 stands between this and leave_hdf5.
static hdf5_visit enter_hdf5(void)
{
    hdf5_visit visit = {0};
    pthread_mutex_lock(&hdf5_lock);
    H5open();
    H5Eget_auto2(H5E_DEFAULT, &visit.print, &visit.print_context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return visit;
}

// Clears HDF5's error stack first: what we caused is not the host's concern.
static void leave_hdf5(hdf5_visit visit)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, visit.print, visit.print_context);
    pthread_mutex_unlock(&hdf5_lock);
}

bool dlp_checkpoint_is_available(void)
{
    return true;
}

// Types are fixed to little endian, so that a file means the same everywhere.
static hid_t type_of(dlp_type type)
{
    switch (type) {
    case DLP_FLOAT32:
        return H5T_IEEE_F32LE;
    case DLP_FLOAT64:
        return H5T_IEEE_F64LE;
    case DLP_INT32:
        return H5T_STD_I32LE;
    case DLP_INT64:
        return H5T_STD_I64LE;
    }
    return H5I_INVALID_HID;
}

// Writing. Each function returns whether it succeeded; what fails here is memory, since the image is made
// there.

// A scalar. Handles are closed whatever happens, or the image could not be closed.
static bool write_attribute(hid_t place, const char *name, hid_t type, const void *value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool is_done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    return is_done;
}

// A scalar dataset of one fixed-length string, the 0 at its end included.
static bool write_text(hid_t file, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
    hid_t data = H5I_INVALID_HID;
    H5Pset_obj_track_times(plain, false);
    if (H5Tset_size(type, strlen(text) + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plain, H5P_DEFAULT);
    const bool is_done = data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (data >= 0) H5Dclose(data);
    H5Pclose(plain);
    H5Sclose(space);
    H5Tclose(type);
    return is_done;
}

// Shuffled, deflated and checksummed in chunks; an empty dataset cannot have chunks and needs none. Without
// times of creation, so that equal states give equal files.
static hid_t make_storage(const dlp_manifest_item *item, hid_t type)
{
    const hid_t storage = H5Pcreate(H5P_DATASET_CREATE);
    if (storage >= 0) H5Pset_obj_track_times(storage, false);
    if (storage < 0 || item->count == 0) return storage;
    const size_t row = (size_t)item->components * H5Tget_size(type);
    hsize_t rows = CHUNK_BYTES / row > 0 ? CHUNK_BYTES / row : 1;
    if (rows > (hsize_t)item->count) rows = (hsize_t)item->count;
    const hsize_t chunk[2] = {rows, (hsize_t)item->components};
    const bool is_done = H5Pset_chunk(storage, 2, chunk) >= 0 && H5Pset_shuffle(storage) >= 0 &&
                         H5Pset_deflate(storage, 1) >= 0 && H5Pset_fletcher32(storage) >= 0;
    if (is_done) return storage;
    H5Pclose(storage);
    return H5I_INVALID_HID;
}

// A group without the time of its making: equal states give equal files.
static hid_t make_group(hid_t parent, const char *name)
{
    const hid_t plain = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(plain, false);
    const hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, plain, H5P_DEFAULT);
    H5Pclose(plain);
    return group;
}

// The groups that an item such as "particles/position" lies in, made by the first item that needs them, outer
// ones first.
static bool make_groups_of(hid_t parent, const char *item_name)
{
    assert(strlen(item_name) < 64);  // `name` below has room for a prefix of it
    char name[64];
    for (const char *end = strchr(item_name, '/'); end != NULL; end = strchr(end + 1, '/')) {
        snprintf(name, sizeof name, "%.*s", (int)(end - item_name), item_name);
        if (H5Lexists(parent, name, H5P_DEFAULT) > 0) continue;
        const hid_t group = make_group(parent, name);
        if (group < 0) return false;
        H5Gclose(group);
    }
    return true;
}

// One dataset of count x components.
static bool write_item(hid_t group, const dlp_manifest_item *item)
{
    assert(item->count >= 0 && item->components > 0 && (item->count == 0 || item->data != NULL));
    const hsize_t shape[2] = {(hsize_t)item->count, (hsize_t)item->components};
    const hid_t type = type_of(item->type);
    const hid_t space = H5Screate_simple(2, shape, NULL);
    const hid_t storage = make_storage(item, type);
    hid_t data = H5I_INVALID_HID;
    if (storage >= 0 && make_groups_of(group, item->name))
        data = H5Dcreate2(group, item->name, type, space, H5P_DEFAULT, storage, H5P_DEFAULT);
    bool is_done = data >= 0;
    if (is_done && item->count > 0)
        is_done = H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, item->data) >= 0;
    if (data >= 0) H5Dclose(data);
    if (storage >= 0) H5Pclose(storage);
    if (space >= 0) H5Sclose(space);
    return is_done;
}

// The attributes of the root, and the scene's text.
static bool write_info(hid_t file, const dlp_checkpoint_info *info)
{
    const int32_t version = DLP_CHECKPOINT_VERSION;
    const hid_t text = H5Tcopy(H5T_C_S1);
    char library[sizeof info->library_version] = "";
    snprintf(library, sizeof library, "%s", dlp_version());
    const bool is_done = text >= 0 && H5Tset_size(text, sizeof library) >= 0 &&
                         write_attribute(file, "checkpoint_version", H5T_STD_I32LE, &version) &&
                         write_attribute(file, "library_version", text, library) &&
                         write_attribute(file, "frame", H5T_STD_I32LE, &info->frame) &&
                         write_attribute(file, "time", H5T_IEEE_F64LE, &info->time) &&
                         write_attribute(file, "particle_count", H5T_STD_I32LE, &info->particle_count) &&
                         write_text(file, "scene", info->scene);
    if (text >= 0) H5Tclose(text);
    return is_done;
}

// A file in memory: nothing that happens to the disk can reach the HDF5 library, which does not handle it
// well. Bounds of 1.8, since what newer formats write cannot be opened everywhere.
static hid_t create_image(void)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t plain = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = H5I_INVALID_HID;
    H5Pset_obj_track_times(plain, false);
    if (H5Pset_fapl_core(access, IMAGE_STEP, 0) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
        file = H5Fcreate("checkpoint", H5F_ACC_TRUNC, plain, access);
    H5Pclose(plain);
    H5Pclose(access);
    return file;
}

// Everything into the image; the message names the part for which memory ran out.
static dlp_status fill_image(hid_t file, const dlp_checkpoint_info *info, const dlp_manifest_item *items,
                             int32_t item_count, dlp_error *error)
{
    const hid_t group = make_group(file, "state");
    const char *failed = group < 0 || !write_info(file, info) ? "its head" : NULL;
    for (int32_t k = 0; failed == NULL && k < item_count; k++) {
        if (!write_item(group, &items[k])) failed = items[k].name;
    }
    if (group >= 0) H5Gclose(group);
    if (failed == NULL && H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) failed = "its last part";
    if (failed == NULL) return DLP_OK;
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "checkpoint: %s could not be packed", failed);
}

// Writes the header and the image where it lies, without a second copy. Synced to the disk before the rename:
// after a power cut there is the old checkpoint or the new one.
static dlp_status save_image(hid_t file, const char *path, dlp_error *error)
{
    void **image = NULL;
    const ssize_t size = H5Fget_file_image(file, NULL, 0);
    if (size <= 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&image) < 0 || *image == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: the state could not be packed", path);
    unsigned char header[DLP_CHECKPOINT_HEADER_SIZE];
    dlp_checkpoint_header_make(DLP_CHECKPOINT_VERSION, *image, (size_t)size, header);
    dlp_outfile out;
    DLP_TRY(dlp_outfile_begin(&out, path, error));
    dlp_outfile_write(&out, header, sizeof header);
    dlp_outfile_write(&out, *image, (size_t)size);
    dlp_outfile_sync(&out);
    return dlp_outfile_commit(&out, error);
}

dlp_status dlp_checkpoint_write(const char *path, const dlp_checkpoint_info *info,
                                const dlp_manifest_item *items, int32_t item_count, dlp_error *error)
{
    const hdf5_visit visit = enter_hdf5();
    const hid_t file = create_image();
    dlp_status status = DLP_OK;
    if (file < 0) status = dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room to pack the state", path);
    if (status == DLP_OK) status = fill_image(file, info, items, item_count, error);
    if (status == DLP_OK) status = save_image(file, path, error);
    if (file >= 0) H5Fclose(file);
    leave_hdf5(visit);
    return status;
}

// Reading. The header has been checked, so what follows guards against files that another program made.

// An image held open. HDF5 has a copy of the bytes.
struct dlp_checkpoint {
    char *path;   // for messages
    hid_t file;   // negative: none
    size_t size;  // bytes of the image
    dlp_checkpoint_info info;
};

// Valid as long as the checkpoint is open.
const dlp_checkpoint_info *dlp_checkpoint_contents(const dlp_checkpoint *checkpoint)
{
    return &checkpoint->info;
}

// A scalar attribute of exactly this type; false where it is missing or another.
static bool read_attribute(hid_t file, const char *name, hid_t type, void *out_value)
{
    if (H5Aexists(file, name) <= 0) return false;
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    const hid_t stored = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const bool is_done = space >= 0 && stored >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                         H5Tequal(stored, type) > 0 && H5Aread(attribute, type, out_value) >= 0;
    if (stored >= 0) H5Tclose(stored);
    if (space >= 0) H5Sclose(space);
    if (attribute >= 0) H5Aclose(attribute);
    return is_done;
}

// Ends the text, which a file of another program may not.
static bool read_library_version(hid_t file, char out_text[32])
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    const bool is_done =
        type >= 0 && H5Tset_size(type, 32) >= 0 && read_attribute(file, "library_version", type, out_text);
    out_text[31] = '\0';
    if (type >= 0) H5Tclose(type);
    return is_done;
}

// The text of a scalar dataset of a fixed-length string, 0-terminated, to be freed; NULL where it is anything
// else.
static char *read_text(hid_t data)
{
    const hid_t type = H5Dget_type(data);
    const hid_t space = H5Dget_space(data);
    char *text = NULL;
    if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= SCENE_LIMIT)
        text = dlp_alloc(H5Tget_size(type) + 1, 1, "checkpoint");
    if (text != NULL && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        dlp_free(text);
        text = NULL;
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return text;
}

// Counts are bounded by what the file could hold, so that a wrong one cannot make the reader allocate without
// end.
static dlp_status read_info(dlp_checkpoint *checkpoint, dlp_error *error)
{
    dlp_checkpoint_info *info = &checkpoint->info;
    const hid_t file = checkpoint->file;
    if (!read_attribute(file, "checkpoint_version", H5T_STD_I32LE, &info->version) ||
        !read_library_version(file, info->library_version) ||
        !read_attribute(file, "frame", H5T_STD_I32LE, &info->frame) ||
        !read_attribute(file, "time", H5T_IEEE_F64LE, &info->time) ||
        !read_attribute(file, "particle_count", H5T_STD_I32LE, &info->particle_count))
        return dlp_fail(error, DLP_IO, "%s: damaged: its attributes cannot be read", checkpoint->path);
    if (info->version != DLP_CHECKPOINT_VERSION)
        return dlp_fail(
            error, DLP_UNSUPPORTED,
            "%s: a checkpoint of version %" PRId32 " (of library %s); this library (%s) reads version %d",
            checkpoint->path, info->version, info->library_version, dlp_version(), DLP_CHECKPOINT_VERSION);
    const double most = (double)checkpoint->size * LARGEST_DEFLATION;
    if (info->particle_count < 0 || (double)info->particle_count > most || info->frame < 0 ||
        !(info->time >= 0 && isfinite(info->time)))
        return dlp_fail(error, DLP_IO, "%s: damaged: %" PRId32 " particles, frame %" PRId32 ", time %g s",
                        checkpoint->path, info->particle_count, info->frame, info->time);
    const hid_t data = H5Dopen2(file, "scene", H5P_DEFAULT);
    info->scene = data >= 0 ? read_text(data) : NULL;
    if (data >= 0) H5Dclose(data);
    if (info->scene == NULL)
        return dlp_fail(error, DLP_IO, "%s: damaged: dataset scene cannot be read", checkpoint->path);
    return DLP_OK;
}

// HDF5 copies the bytes, so the caller may free them after.
static hid_t open_image(const char *bytes, size_t size)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    void *image = (void *)(uintptr_t)bytes;  // copied: HDF5 only forgot to say const
    hid_t file = H5I_INVALID_HID;
    if (H5Pset_fapl_core(access, IMAGE_STEP, 0) >= 0 && H5Pset_file_image(access, image, size) >= 0)
        file = H5Fopen("checkpoint", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

// A file that is open after a failure is closed with the checkpoint.
static dlp_status open_payload(dlp_checkpoint *checkpoint, const char *bytes, dlp_error *error)
{
    const hdf5_visit visit = enter_hdf5();
    checkpoint->file = open_image(bytes, checkpoint->size);
    dlp_status status = DLP_OK;
    if (checkpoint->file < 0)
        status = dlp_fail(error, DLP_IO, "%s: damaged: HDF5 cannot open it", checkpoint->path);
    else
        status = read_info(checkpoint, error);
    leave_hdf5(visit);
    return status;
}

dlp_status dlp_checkpoint_open_bytes(const char *path, const void *bytes, size_t size,
                                     dlp_checkpoint **out_checkpoint, dlp_error *error)
{
    *out_checkpoint = NULL;
    DLP_TRY(dlp_checkpoint_header_check(path, DLP_CHECKPOINT_VERSION, bytes, size, error));
    dlp_checkpoint *checkpoint = dlp_alloc(1, sizeof *checkpoint, "checkpoint");
    if (checkpoint == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room to read it", path);
    checkpoint->file = H5I_INVALID_HID;
    checkpoint->size = size - DLP_CHECKPOINT_HEADER_SIZE;
    checkpoint->path = dlp_copy_text(path, "checkpoint");
    dlp_status status = DLP_OK;
    if (checkpoint->path == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room to read it", path);
    else
        status = open_payload(checkpoint, (const char *)bytes + DLP_CHECKPOINT_HEADER_SIZE, error);
    if (status != DLP_OK) {
        dlp_checkpoint_close(checkpoint);
        return status;
    }
    *out_checkpoint = checkpoint;
    return DLP_OK;
}

void dlp_checkpoint_close(dlp_checkpoint *checkpoint)
{
    if (checkpoint == NULL) return;
    if (checkpoint->file >= 0) {
        const hdf5_visit visit = enter_hdf5();
        H5Fclose(checkpoint->file);
        leave_hdf5(visit);
    }
    dlp_checkpoint_info_release(&checkpoint->info);
    dlp_free(checkpoint->path);
    dlp_free(checkpoint);
}

// Whether to read the data, or only to check that they fit.
typedef enum depth { MATCH_ONLY, FETCH } depth;

// Why an item does not fit its dataset, NULL where it does.
static const char *mismatch(hid_t data, const dlp_manifest_item *item)
{
    const hid_t type = H5Dget_type(data);
    const hid_t space = H5Dget_space(data);
    hsize_t shape[2] = {0, 0};
    const char *reason = NULL;
    if (type < 0 || H5Tequal(type, type_of(item->type)) <= 0)
        reason = "its type is another";
    else if (space < 0 || H5Sget_simple_extent_ndims(space) != 2)
        reason = "it is not a table";
    else if (H5Sget_simple_extent_dims(space, shape, NULL) < 0 || shape[1] != (hsize_t)item->components)
        reason = "its number of components is another";
    else if (shape[0] != (hsize_t)item->count)
        reason = "its length is another";
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return reason;
}

// HDF5 verifies the chunk's checksum as it reads.
static dlp_status visit_item(const dlp_checkpoint *checkpoint, hid_t group, const dlp_manifest_item *item,
                             depth how, dlp_error *error)
{
    const hid_t data = H5Dopen2(group, item->name, H5P_DEFAULT);
    if (data < 0)
        return dlp_fail(error, DLP_IO, "%s: dataset %s is missing; it is not of this scene or is damaged",
                        checkpoint->path, item->name);
    const char *reason = mismatch(data, item);
    if (reason == NULL && how == FETCH && item->count > 0 &&
        H5Dread(data, type_of(item->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, item->data) < 0)
        reason = "it cannot be read (checksum)";
    H5Dclose(data);
    if (reason == NULL) return DLP_OK;
    return dlp_fail(error, DLP_IO, "%s: dataset %s: %s; it is not of this scene or is damaged",
                    checkpoint->path, item->name, reason);
}

// All items under one lock.
static dlp_status visit_items(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items,
                              int32_t item_count, depth how, dlp_error *error)
{
    const hdf5_visit visit = enter_hdf5();
    const hid_t group = H5Gopen2(checkpoint->file, "state", H5P_DEFAULT);
    dlp_status status = DLP_OK;
    if (group < 0) status = dlp_fail(error, DLP_IO, "%s: damaged: it holds no state", checkpoint->path);
    for (int32_t k = 0; status == DLP_OK && k < item_count; k++)
        status = visit_item(checkpoint, group, &items[k], how, error);
    if (group >= 0) H5Gclose(group);
    leave_hdf5(visit);
    return status;
}

// Rows of a table in the group; 0 where it is none, or where 64 numbers per row would overflow an int32_t.
static int32_t length_of(hid_t group, const char *name)
{
    hsize_t shape[2] = {0, 0};
    const hid_t data = H5Dopen2(group, name, H5P_DEFAULT);
    const hid_t space = data >= 0 ? H5Dget_space(data) : H5I_INVALID_HID;
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, shape, NULL);
    if (space >= 0) H5Sclose(space);
    if (data >= 0) H5Dclose(data);
    return shape[0] <= INT32_MAX / 64 ? (int32_t)shape[0] : 0;
}

int32_t dlp_checkpoint_length(const dlp_checkpoint *checkpoint, const char *name)
{
    const hdf5_visit visit = enter_hdf5();
    const hid_t group = H5Gopen2(checkpoint->file, "state", H5P_DEFAULT);
    const int32_t length = group >= 0 ? length_of(group, name) : 0;
    if (group >= 0) H5Gclose(group);
    leave_hdf5(visit);
    const double most = (double)checkpoint->size * LARGEST_DEFLATION / 256;  // rows of 64 numbers
    return (double)length <= most ? length : 0;
}

dlp_status dlp_checkpoint_match(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items,
                                int32_t item_count, dlp_error *error)
{
    return visit_items(checkpoint, items, item_count, MATCH_ONLY, error);
}

dlp_status dlp_checkpoint_fetch(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items,
                                int32_t item_count, dlp_error *error)
{
    return visit_items(checkpoint, items, item_count, FETCH, error);
}

#else  // without HDF5

// What a build without HDF5 answers, with the remedy.
static dlp_status refuse(const char *path, dlp_error *error)
{
    return dlp_fail(
        error, DLP_UNSUPPORTED,
        "%s: this build has no checkpoints; install HDF5 (Debian: libhdf5-dev), configure and build again",
        path);
}

bool dlp_checkpoint_is_available(void)
{
    return false;
}

dlp_status dlp_checkpoint_write(const char *path, const dlp_checkpoint_info *info,
                                const dlp_manifest_item *items, int32_t item_count, dlp_error *error)
{
    (void)info, (void)items, (void)item_count;
    return refuse(path, error);
}

dlp_status dlp_checkpoint_open_bytes(const char *path, const void *bytes, size_t size,
                                     dlp_checkpoint **out_checkpoint, dlp_error *error)
{
    (void)bytes, (void)size;
    *out_checkpoint = NULL;
    return refuse(path, error);
}

void dlp_checkpoint_close(dlp_checkpoint *checkpoint)
{
    (void)checkpoint;
}

const dlp_checkpoint_info *dlp_checkpoint_contents(const dlp_checkpoint *checkpoint)
{
    (void)checkpoint;
    return NULL;
}

int32_t dlp_checkpoint_length(const dlp_checkpoint *checkpoint, const char *name)
{
    (void)checkpoint, (void)name;
    return 0;
}

dlp_status dlp_checkpoint_match(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items,
                                int32_t item_count, dlp_error *error)
{
    (void)checkpoint, (void)items, (void)item_count;
    return refuse("checkpoint", error);
}

dlp_status dlp_checkpoint_fetch(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items,
                                int32_t item_count, dlp_error *error)
{
    (void)checkpoint, (void)items, (void)item_count;
    return refuse("checkpoint", error);
}

#endif

// The whole file is read at once: the digest needs every byte anyway.
dlp_status dlp_checkpoint_open(const char *path, dlp_checkpoint **out_checkpoint, dlp_error *error)
{
    *out_checkpoint = NULL;
    char *bytes;
    size_t size;
    DLP_TRY(dlp_file_read(path, SIZE_MAX / 4, &bytes, &size, error));
    const dlp_status status = dlp_checkpoint_open_bytes(path, bytes, size, out_checkpoint, error);
    dlp_free(bytes);
    return status;
}

// The scene's text is copied, since the checkpoint owns its own.
dlp_status dlp_checkpoint_read_info(const char *path, dlp_checkpoint_info *out_info, dlp_error *error)
{
    *out_info = (dlp_checkpoint_info){0};
    dlp_checkpoint *checkpoint;
    DLP_TRY(dlp_checkpoint_open(path, &checkpoint, error));
    *out_info = *dlp_checkpoint_contents(checkpoint);
    out_info->scene = dlp_copy_text(out_info->scene, "checkpoint");
    dlp_checkpoint_close(checkpoint);
    if (out_info->scene == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its scene", path);
    return DLP_OK;
}
