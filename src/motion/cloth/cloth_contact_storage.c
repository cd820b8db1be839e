/* Room for the contacts, which follows from the lists of cloth_contact_store.h. */
#include "motion/cloth/cloth_contact.h"

DLP_CLOTH_DEFINE_SAVED_ARRAYS(contact_state, DLP_CLOTH_CONTACT_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(obstacle_contacts, DLP_CLOTH_OBSTACLE_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(contact_bodies, DLP_CLOTH_BODY_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(inner_contacts, DLP_CLOTH_INNER_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(tree, DLP_CLOTH_TREE_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(springs, DLP_CLOTH_SPRING_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(zones, DLP_CLOTH_ZONE_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(settling, DLP_CLOTH_SETTLE_FIELDS)
DLP_CLOTH_DEFINE_SAVED_ARRAYS(wind, DLP_CLOTH_WIND_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(drag, DLP_CLOTH_DRAG_FIELDS)
DLP_CLOTH_DEFINE_ARRAYS(air, DLP_CLOTH_AIR_FIELDS)
DLP_CLOTH_DEFINE_POOLS(contact_loads, DLP_CLOTH_LOAD_POOLS)
DLP_CLOTH_DEFINE_POOLS(facets, DLP_CLOTH_FACET_POOLS)
DLP_CLOTH_DEFINE_POOLS(pairs, DLP_CLOTH_PAIR_POOLS)
DLP_CLOTH_DEFINE_POOLS(self_contacts, DLP_CLOTH_SELF_POOLS)

static void release_spring_pools(dlp_cloth_springs *pools){DLP_CLOTH_SPRING_POOLS(DLP_CLOTH_FREE_POOL)}

dlp_status dlp_cloth_contact_reserve_bodies(dlp_cloth_contact *contact, int32_t count, dlp_error *error)
{
    return reserve_contact_bodies(&contact->scratch.bodies, count, error);
}

dlp_status dlp_cloth_contact_reserve_particles(dlp_cloth_contact *contact, int32_t count, dlp_error *error)
{
    dlp_cloth_contact_scratch *s = &contact->scratch;
    DLP_TRY(reserve_contact_state(&contact->state, count, error));
    DLP_TRY(reserve_obstacle_contacts(&s->obstacles, count, error));
    DLP_TRY(reserve_springs(&s->springs, count, error));
    DLP_TRY(reserve_zones(&s->zones, count, error));
    DLP_TRY(reserve_settling(&s->settling, count, error));
    DLP_TRY(reserve_air(&s->air, count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(&s->loads, supporter, count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(&s->loads, sums, dlp_cloth_contact_load_size(contact, count), error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(&s->self, has_contact, count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(&s->pairs, drift, count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(&s->facets, piece, count, error));
    return DLP_CLOTH_RESERVE_POOL(&s->facets, begin, count + 2, error);
}

dlp_status dlp_cloth_contact_reserve_facets(dlp_cloth_contact *contact, int32_t count, dlp_error *error)
{
    dlp_cloth_contact_scratch *s = &contact->scratch;
    DLP_TRY(reserve_inner_contacts(&s->inner, count, error));
    DLP_TRY(reserve_tree(&s->tree, count, error));
    DLP_TRY(reserve_wind(&contact->state.wind, count, error));
    DLP_TRY(reserve_drag(&s->drag, count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(&s->facets, items, count, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(&s->facets, list, 3 * count, error));
    return DLP_CLOTH_RESERVE_POOL(&s->pairs, begin, count + 1, error);
}

void dlp_cloth_contact_release(dlp_cloth_contact *contact)
{
    dlp_cloth_contact_scratch *s = &contact->scratch;
    release_contact_state(&contact->state);
    release_wind(&contact->state.wind);
    dlp_free(contact->params.pressed.bits);
    release_obstacle_contacts(&s->obstacles);
    release_contact_bodies(&s->bodies);
    release_contact_loads(&s->loads);
    release_inner_contacts(&s->inner);
    release_facets(&s->facets);
    release_tree(&s->tree);
    release_pairs(&s->pairs);
    release_self_contacts(&s->self);
    release_springs(&s->springs);
    release_spring_pools(&s->springs);
    release_zones(&s->zones);
    release_settling(&s->settling);
    release_drag(&s->drag);
    release_air(&s->air);
    *contact = (dlp_cloth_contact){0};
}
