// Pictures in memory, and PNG files by libpng. libpng reports errors by longjmp; here they become a status.
#include "record/png.h"
#include "record/file_io.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>

dlp_status dlp_image_init(dlp_image *image, int32_t width, int32_t height, int32_t channels, dlp_error *error)
{
    enum { LARGEST = 32768 };
    *image = (dlp_image){0};
    if (width < 1 || width > LARGEST || height < 1 || height > LARGEST || channels < 3 || channels > 4)
        return dlp_fail(error, DLP_INVALID,
                        "picture: %" PRId32 " x %" PRId32 " pixels of %" PRId32
                        " channels; allowed are 1 to %d, and 3 or 4",
                        width, height, channels, LARGEST);
    uint8_t *pixels = dlp_alloc((size_t)width * (size_t)height, (size_t)channels, "pictures");
    if (pixels == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %" PRId32 " x %" PRId32 " pixels",
                        width, height);
    *image = (dlp_image){width, height, channels, pixels};
    return DLP_OK;
}

void dlp_image_release(dlp_image *image)
{
    dlp_free(image->pixels);
    *image = (dlp_image){0};
}

#ifdef DLP_HAVE_PNG

#include <png.h>
#include <string.h>

// What libpng's callbacks need; its own messages are kept instead of printed.
typedef struct writer {
    dlp_outfile file;
    char message[160];
} writer;

// Must not return: libpng goes on only after a longjmp.
static void keep_message(png_structp png, png_const_charp message)
{
    writer *w = png_get_error_ptr(png);
    snprintf(w->message, sizeof w->message, "%s", message);
    png_longjmp(png, 1);
}

// Warnings are about what libpng corrects by itself.
static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

// Failures are kept by the file until its commit.
static void write_bytes(png_structp png, png_bytep bytes, size_t size)
{
    writer *w = png_get_io_ptr(png);
    dlp_outfile_write(&w->file, bytes, size);
}

// The commit flushes.
static void flush_nothing(png_structp png)
{
    (void)png;
}

// libpng's memory comes from the library's allocator, too.
static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    (void)png;
    return dlp_alloc(size, 1, "pictures");
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    dlp_free(memory);
}

// False where libpng failed; the reason is in the writer. No local is changed after setjmp, so that none is
// clobbered.
static bool encode(png_structp png, png_infop info, const dlp_image *image, writer *w)
{
    assert(image->channels == 3 || image->channels == 4);
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_write_fn(png, w, write_bytes, flush_nothing);
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 image->channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    const size_t stride = (size_t)image->width * (size_t)image->channels;
    for (size_t y = 0; y < (size_t)image->height; y++) png_write_row(png, image->pixels + y * stride);
    png_write_end(png, info);
    return true;
}

bool dlp_png_is_available(void)
{
    return true;
}

// "no room" is the message where libpng could not even start.
dlp_status dlp_png_write(const char *path, const dlp_image *image, dlp_error *error)
{
    writer w = {.message = "no room"};
    DLP_TRY(dlp_outfile_begin(&w.file, path, error));
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &w, keep_message, ignore_warning, NULL,
                                                allocate, release);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    const bool is_done = info != NULL && encode(png, info, image, &w);
    png_destroy_write_struct(&png, &info);
    if (is_done) return dlp_outfile_commit(&w.file, error);
    dlp_outfile_discard(&w.file);
    return dlp_fail(error, DLP_IO, "%s: the picture could not be packed: %s", path, w.message);
}

#else  // without libpng

bool dlp_png_is_available(void)
{
    return false;
}

dlp_status dlp_png_write(const char *path, const dlp_image *image, dlp_error *error)
{
    (void)image;
    return dlp_fail(
        error, DLP_UNSUPPORTED,
        "%s: this build writes no pictures; install libpng (Debian: libpng-dev), configure and build again",
        path);
}

#endif
