/*
 * areas.c: the bytes of the static world. They are written before they are read in every run, so
 * nothing is carried over and nothing needs clearing.
 */
#include "targets/reply/world.h"

static uint8_t up[WORLD_CONNS][WORLD_STREAM_SIZE];
static uint8_t down[WORLD_CONNS][WORLD_STREAM_SIZE];
static uint8_t out[WORLD_CONNS][WORLD_STREAM_SIZE];
static uint8_t space[WORLD_CONNS][WORLD_STREAM_SIZE];
static uint8_t request[WORLD_CONNS][WORLD_REQUEST_MAX];
static uint8_t key_bytes[WORLD_CONNS][WORLD_KEYS][WORLD_KEY_SIZE];
static struct wb_view keys[WORLD_CONNS][WORLD_KEYS];

uint8_t *world_area_up(uint32_t id)
{
    return up[id];
}

uint8_t *world_area_down(uint32_t id)
{
    return down[id];
}

uint8_t *world_area_out(uint32_t id)
{
    return out[id];
}

uint8_t *world_area_space(uint32_t id)
{
    return space[id];
}

uint8_t *world_area_request(uint32_t id)
{
    return request[id];
}

uint8_t *world_area_key(uint32_t id, uint32_t i)
{
    return key_bytes[id][i];
}

struct wb_view *world_area_keys(uint32_t id)
{
    return keys[id];
}
