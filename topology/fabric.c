/** @file fabric.c  Which GPUs share an NVSwitch, or a PCIe link to the host.
 *
 * Virtual machines often hide NVLinks from NVML. GPUs that reach each other with native atomics
 * must be joined by something better than PCIe all the same, over which these GPUs have none; where
 * the kind of GPU says how many NVLinks it has, a switch is assumed that joins all of them. Between
 * two it promises what the links do together. More than two may have links from each to each
 * instead, of which a copy gets only its share: that is why the node says "assumed". */
#include "topology/discover.h"

#include <string.h>

uint32_t weir__found_nvlinks(const struct weir__found *a, const struct weir__found *b)
{
    uint32_t most = 0;
    for (int turn = 0; turn < 2; turn++) {
        const struct weir__found *one = turn ? b : a, *other = turn ? a : b;
        for (uint32_t p = 0; p < one->links.peer_count && other->facts.bus[0]; p++)
            if (!strcmp(one->links.peer[p].bus, other->facts.bus) &&
                most < one->links.peer[p].links)
                most = one->links.peer[p].links;
    }
    return most;
}

void weir__usual_nvlinks(const struct weir__found *found, uint32_t *generation_out,
                         uint32_t *links_out)
{
    /* Of the boards with NVLink that there are: A100; A40 and its like; H100, H200; B200, B300. */
    static const struct {
        uint32_t major, minor, generation, links;
    } usual[] = {{8, 0, 3, 12}, {8, 6, 3, 4}, {9, 0, 4, 18}, {10, 0, 5, 18}, {10, 3, 5, 18}};
    *generation_out = *links_out = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (found->facts.major == usual[i].major && found->facts.minor == usual[i].minor) {
            *generation_out = usual[i].generation;
            *links_out = usual[i].links;
        }
}

static int told_nvlinks(const struct weir__survey *survey, uint32_t d)
{
    if (survey->found[d].links.to_switch)
        return 1;
    for (uint32_t other = 0; other < survey->devices; other++)
        if (other != d && weir__found_nvlinks(&survey->found[d], &survey->found[other]))
            return 1;
    return 0;
}

/* A GPU of which NVML tells no NVLink, but which should have some. */
static int is_silent(const struct weir__survey *survey, uint32_t d)
{
    uint32_t generation, links;
    if (!weir__found_gpu(&survey->found[d]) || told_nvlinks(survey, d))
        return 0;
    weir__usual_nvlinks(&survey->found[d], &generation, &links);
    return links > 0;
}

static int is_close(const struct weir__survey *survey, uint32_t a, uint32_t b)
{
    return survey->reaches[a][b] && survey->reaches[b][a] && survey->atomics[a][b] &&
           survey->atomics[b][a];
}

static int joins(const struct weir__survey *survey, const struct weir__fabrics *fabrics, uint32_t d,
                 uint32_t fabric)
{
    for (uint32_t other = 0; other < survey->devices; other++)
        if (fabrics->nvlink_of[other] == fabric && !is_close(survey, d, other))
            return 0;
    return fabrics->nvlink_of[d] == WEIR__NO_FABRIC && is_silent(survey, d);
}

static void find_told(const struct weir__survey *survey, struct weir__fabrics *fabrics)
{
    for (uint32_t d = 0; d < survey->devices; d++)
        if (survey->found[d].links.to_switch) {
            fabrics->nvlink_of[d] = 0;
            fabrics->count = 1;
        }
}

static void find_assumed(const struct weir__survey *survey, struct weir__fabrics *fabrics)
{
    for (uint32_t d = 0; d < survey->devices; d++) {
        uint32_t fabric = fabrics->count, members = 1;
        if (!joins(survey, fabrics, d, fabric))
            continue;
        fabrics->nvlink_of[d] = fabric;
        for (uint32_t other = d + 1; other < survey->devices; other++)
            if (joins(survey, fabrics, other, fabric)) {
                fabrics->nvlink_of[other] = fabric;
                members++;
            }
        if (members > 1)
            fabrics->count++;
        else
            fabrics->nvlink_of[d] = WEIR__NO_FABRIC;
    }
}

static void find_pcie(const struct weir__survey *survey, struct weir__fabrics *fabrics)
{
    for (uint32_t a = 0; a < survey->devices; a++)
        for (uint32_t b = 0; b < a; b++) {
            if (!survey->found[a].root[0] || strcmp(survey->found[a].root, survey->found[b].root))
                continue;
            if (fabrics->pcie_of[b] == WEIR__NO_FABRIC)
                fabrics->pcie_of[b] = fabrics->count++;
            fabrics->pcie_of[a] = fabrics->pcie_of[b];
            break;
        }
}

void weir__fabrics_find(const struct weir__survey *survey, struct weir__fabrics *fabrics_out)
{
    memset(fabrics_out, 0, sizeof *fabrics_out);
    for (uint32_t d = 0; d < survey->devices; d++)
        fabrics_out->nvlink_of[d] = fabrics_out->pcie_of[d] = WEIR__NO_FABRIC;
    find_told(survey, fabrics_out);
    fabrics_out->assumed = fabrics_out->count;
    find_assumed(survey, fabrics_out);
    fabrics_out->pcie = fabrics_out->count;
    find_pcie(survey, fabrics_out);
}
