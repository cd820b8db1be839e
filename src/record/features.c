// Which optional libraries this build has.
#include "record/checkpoint.h"
#include "record/png.h"
#include "record/render/render.h"
#include "record/vdb.h"
#include "scene/document.h"

bool dlp_has_feature(dlp_feature feature)
{
    switch (feature) {
    case DLP_FEATURE_YAML:
        return dlp_yaml_is_available();
    case DLP_FEATURE_CHECKPOINTS:
        return dlp_checkpoint_is_available();
    case DLP_FEATURE_PNG:
        return dlp_png_is_available();
    case DLP_FEATURE_RENDERING:
        return dlp_render_is_available();
    case DLP_FEATURE_VDB:
        return dlp_vdb_is_available();
    case DLP_FEATURE_COUNT:
        break;
    }
    return false;
}
