/* Room for the cloth, which follows from the lists of cloth_solver.h. */
#include "motion/cloth/cloth_solver.h"

DLP_CLOTH_DEFINE_ARRAYS(params, DLP_CLOTH_SUBSTANCE_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(triangles, DLP_CLOTH_TRIANGLE_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(lines, DLP_CLOTH_LINE_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(links, DLP_CLOTH_LINK_FIELDS)
DLP_CLOTH_DEFINE_SAVED_ARRAYS(particles, DLP_CLOTH_PARTICLE_FIELDS)
DLP_CLOTH_DEFINE_SAVED_ARRAYS(corners, DLP_CLOTH_CORNER_FIELDS)
DLP_CLOTH_DEFINE_SAVED_ARRAYS(ends, DLP_CLOTH_END_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(matrix, DLP_CLOTH_BLOCK_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(motion, DLP_CLOTH_MOTION_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(freedom, DLP_CLOTH_FREEDOM_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(search, DLP_CLOTH_SEARCH_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(system, DLP_CLOTH_SYSTEM_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(paper_form, DLP_CLOTH_PAPER_FORM_FIELDS)
DLP_CLOTH_DEFINE_POOLS(connectivity, DLP_CLOTH_CONNECTIVITY_POOLS)
DLP_CLOTH_DEFINE_POOLS(terms, DLP_CLOTH_TERM_POOLS)
DLP_CLOTH_DEFINE_POOLS(export, DLP_CLOTH_EXPORT_POOLS)

dlp_status dlp_cloth_reserve_substances(dlp_cloth *cloth, int32_t count, dlp_error *error)
{
    return reserve_params(&cloth->params, count, error);
}

dlp_status dlp_cloth_reserve_particles(dlp_cloth *cloth, int32_t count, dlp_error *error)
{
    return reserve_particles(&cloth->state.particles, count, error);
}

dlp_status dlp_cloth_reserve_triangles(dlp_cloth *cloth, int32_t count, dlp_error *error)
{
    DLP_TRY(reserve_triangles(&cloth->params.triangles, count, error));
    return reserve_corners(&cloth->state.corners, count, error);
}

dlp_status dlp_cloth_reserve_lines(dlp_cloth *cloth, int32_t count, dlp_error *error)
{
    return reserve_lines(&cloth->params.lines, count, error);
}

dlp_status dlp_cloth_reserve_links(dlp_cloth *cloth, int32_t count, dlp_error *error)
{
    DLP_TRY(reserve_links(&cloth->params.links, count, error));
    return reserve_ends(&cloth->state.ends, count, error);
}

dlp_status dlp_cloth_reserve_blocks(dlp_cloth *cloth, int32_t count, dlp_error *error)
{
    return reserve_matrix(&cloth->connectivity.matrix, count, error);
}

// One particle more than there are, so that a wide load past the last block of 9 stays inside.
dlp_status dlp_cloth_reserve_scratch(dlp_cloth *cloth, dlp_error *error)
{
    dlp_cloth_scratch *s = &cloth->scratch;
    const int32_t count = cloth->state.particles.count + 1;
    DLP_TRY(reserve_motion(&s->motion, count, error));
    DLP_TRY(reserve_freedom(&s->freedom, count, error));
    DLP_TRY(reserve_search(&s->search, count, error));
    DLP_TRY(reserve_system(&s->system, count, error));
    dlp_cloth_terms *terms = &s->terms;
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(terms, triangles, cloth->params.triangles.count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(terms, hinges, cloth->connectivity.hinge_count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(terms, curvatures, cloth->connectivity.curvature_count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(terms, twists, cloth->connectivity.twist_count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(terms, links, cloth->params.links.count, error));
    return DLP_CLOTH_RESERVE_POOL(terms, bends, cloth->connectivity.bend_count, error);
}

dlp_status dlp_cloth_reserve_paper_form(dlp_cloth *cloth, dlp_error *error)
{
    if (!cloth->params.is_paper_form) return DLP_OK;
    return reserve_paper_form(&cloth->scratch.paper_form, cloth->state.particles.count + 1, error);
}

void dlp_cloth_release(dlp_cloth *cloth)
{
    release_params(&cloth->params);
    release_triangles(&cloth->params.triangles);
    release_lines(&cloth->params.lines);
    release_links(&cloth->params.links);
    release_particles(&cloth->state.particles);
    release_corners(&cloth->state.corners);
    release_ends(&cloth->state.ends);
    release_connectivity(&cloth->connectivity);
    release_matrix(&cloth->connectivity.matrix);
    dlp_free(cloth->connectivity.matrix.begin);
    release_terms(&cloth->scratch.terms);
    release_motion(&cloth->scratch.motion);
    release_freedom(&cloth->scratch.freedom);
    release_search(&cloth->scratch.search);
    release_system(&cloth->scratch.system);
    release_paper_form(&cloth->scratch.paper_form);
    release_export(&cloth->scratch.exported);
    dlp_cloth_contact_release(&cloth->contact);
}
