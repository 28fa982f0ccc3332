/** @file bag_tmpl.h  Typed puts and gets of one element type over worklist/engine/bag.h.
 *
 * Define BAG_TYPE and BAG_NAME, include, and get BAG_NAME_put, BAG_NAME_get and BAG_NAME_copy. Elements
 * of 4, 8 and 16 bytes move as one word; the slots of a bag are aligned to that. */
#define BAG_PASTE_(a, b) a##_##b
#define BAG_PASTE(a, b)  BAG_PASTE_(a, b)
#define BAG(name)        BAG_PASTE(BAG_NAME, name)

/** *to = *from, where @p from may have been written by another multiprocessor in an earlier round. */
WEIR_DEV void BAG(get)(BAG_TYPE *to, const void *from)
{
#ifdef __CUDACC__
    if (sizeof(BAG_TYPE) == 4) {
        uint32_t word = __ldcg((const uint32_t *)from);
        memcpy(to, &word, sizeof *to);
    } else if (sizeof(BAG_TYPE) == 8) {
        uint2 word = __ldcg((const uint2 *)from);
        memcpy(to, &word, sizeof *to);
    } else if (sizeof(BAG_TYPE) == 16) {
        uint4 word = __ldcg((const uint4 *)from);
        memcpy(to, &word, sizeof *to);
    } else
#endif
        *to = *(const BAG_TYPE *)from;
}

WEIR_DEV void BAG(copy)(void *to, const BAG_TYPE *from)
{
#ifdef __CUDACC__
    if (sizeof(BAG_TYPE) == 4) {
        uint32_t word;
        memcpy(&word, from, sizeof word);
        __stcg((uint32_t *)to, word);
    } else if (sizeof(BAG_TYPE) == 8) {
        uint2 word;
        memcpy(&word, from, sizeof word);
        __stcg((uint2 *)to, word);
    } else if (sizeof(BAG_TYPE) == 16) {
        uint4 word;
        memcpy(&word, from, sizeof word);
        __stcg((uint4 *)to, word);
    } else
#endif
        *(BAG_TYPE *)to = *from;
}

/** Store an element into a reserved slot. @return 0 if the bag is full: the element is not in it. This is inlined whole,
 *  since a call in the middle of a round costs registers even if it is never made. */
WEIR_DEV int BAG(put)(const struct weir_bag *bag, uint32_t slot, const BAG_TYPE *element)
{
    if (slot < bag->room) {
        BAG(copy)((BAG_TYPE *)bag->slots + slot, element);
        return 1;
    }
    slot -= bag->room;
    if (slot >= bag->more_room)
        return 0;
    char *address = weir_spill_address(bag, slot, (uint32_t)sizeof *element);
    if (address)
        BAG(copy)(address, element);
    return address != NULL;
}

#undef BAG_PASTE_
#undef BAG_PASTE
#undef BAG
#undef BAG_TYPE
#undef BAG_NAME
