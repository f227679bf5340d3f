// Adds the light of COUNT samples, for one position of the camera.
uniform sampler2D places;
uniform sampler2D normals;
uniform sampler2DArrayShadow shadows;
uniform mat4 shadow_of[2 * COUNT];  // to a shadow map's coordinates: key lights, then domes
uniform vec3 towards[2 * COUNT];
uniform float dome_weight[COUNT];
uniform int first;  // of the batch, the maps of these lights
uniform int stride;  // of the pixels that these lights shine on
uniform ivec2 shift;  // of the first of these pixels
uniform ivec2 corner;  // of the tile in which they are kept
uniform float dome_mean;  // light of the whole dome on the ground, a sample
uniform float normal_offset;  // a texel: the surface must not shade itself
uniform float weight;  // of this position of the camera
layout(location = 0) out vec4 shade;  // key; gloss; sky; coverage
layout(location = 1) out vec4 reach;  // key light that is reached; all of it; the same of the sky
layout(location = 2) out vec4 rest;  // shadow on the ground; fill; ghost; all shadow there can be

float visible(int light, int map, vec3 place, float bias) {
    vec3 at = (shadow_of[light] * vec4(place, 1.0)).xyz;
    return texture(shadows, vec4(at.xy, float(map), at.z + bias));
}

void main() {
    ivec2 pixel = stride * (ivec2(gl_FragCoord.xy) - corner) + shift;
    pixel = min(pixel, textureSize(places, 0) - 1);
    vec4 seen = texelFetch(places, pixel, 0);
    vec4 other = texelFetch(normals, pixel, 0);
    bool ground = seen.w == GROUND;
    vec3 normal = ground ? vec3(0.0, 0.0, 1.0) : other.xyz;
    vec3 start = ground ? seen.xyz : seen.xyz + normal_offset * normal;
    float bias = ground ? GROUND_BIAS : -DEPTH_BIAS;

    // One loop for both, and a number of turns that the compiler knows: all pixels go all ways.
    vec2 from_key = vec2(0.0);  // visible, all
    vec2 from_sky = vec2(0.0);
    for (int i = 0; i < COUNT; ++i) {
        float facing = max(dot(normal, towards[i]), 0.0);
        from_key += facing * vec2(visible(i, first + i, start, bias), 1.0);
        facing = max(dot(normal, towards[COUNT + i]), 0.0) * dome_weight[i];
        from_sky += facing * vec2(visible(COUNT + i, BATCH + first + i, start, bias), 1.0);
    }
    float all = weight * float(COUNT);
    shade = reach = vec4(0.0);
    rest = vec4(0.0, 0.0, all * other.w, 0.0);
    if (ground) {
        // The ground is not drawn, but the page darkens where light is kept from it.
        float fade = 1.0 - smoothstep(FADE_START, FADE_END, length(seen.xy));
        float key_share = KEY * key.z / (KEY * key.z + SKY);
        float shadow = key_share * float(COUNT) * (1.0 - from_key.x / from_key.y)
                     + (1.0 - key_share) * (from_sky.y - from_sky.x) / dome_mean;
        rest.w = all * GROUND_SHADOW * fade;
        rest.x = weight * GROUND_SHADOW * fade * shadow;
    } else if (seen.w != NOTHING) {
        // Only the hidden share is sampled, the shading itself is exact: flat faces stay flat.
        float gain = seen.w == CAP ? CAP_GAIN : 1.0;
        Light light = unshadowed(seen.xyz, normal);
        shade = all * vec4(gain * vec3(light.key, light.gloss, light.sky), 1.0);
        reach = weight * vec4(from_key, from_sky);
        rest.y = all * gain * light.fill;
        rest.z = 0.0;
    }
}
