// Adds the light of a batch of samples, for one position of the camera.
uniform sampler2D places;
uniform sampler2D normals;
uniform sampler2DArrayShadow shadows;
uniform int count;
uniform mat4 shadow_of[2 * BATCH];  // to a shadow map's coordinates: key lights, then domes
uniform vec3 towards[2 * BATCH];
uniform float dome_weight[BATCH];
uniform float dome_mean;  // light of the whole dome on the ground, a sample
uniform float normal_offset;  // a texel: the surface must not shade itself
uniform float weight;  // of this position of the camera
layout(location = 0) out vec4 lit;  // key and fill; gloss; sky; coverage
layout(location = 1) out vec4 reach;  // sky that is reached; all sky; shadow on the ground; ghost

float visible(int map, vec3 place, float bias) {
    vec3 at = (shadow_of[map] * vec4(place, 1.0)).xyz;
    return texture(shadows, vec4(at.xy, float(map), at.z + bias));
}

void add_part(vec3 place, vec3 normal, float gain) {
    vec3 start = place + normal_offset * normal;
    vec2 from_key = vec2(0.0);  // visible, all
    vec2 from_sky = vec2(0.0);
    for (int i = 0; i < count; ++i) {
        float facing = dot(normal, towards[i]);
        if (facing > 0.0)
            from_key += facing * vec2(visible(i, start, -DEPTH_BIAS), 1.0);
        facing = dot(normal, towards[BATCH + i]) * dome_weight[i];
        if (facing > 0.0)
            from_sky += facing * vec2(visible(BATCH + i, start, -DEPTH_BIAS), 1.0);
    }
    // Only the hidden share is sampled, the shading itself is exact: flat faces stay flat.
    float open = from_key.y > 0.0 ? from_key.x / from_key.y : 1.0;
    Light light = unshadowed(place, normal);
    float all = weight * float(count);
    lit = all * vec4(gain * vec3(light.key * open + light.fill, light.gloss * open, light.sky), 1.0);
    reach = weight * vec4(from_sky, 0.0, 0.0);
}

// The ground is not drawn, but the page darkens where light is kept from it.
void add_ground(vec3 place) {
    float fade = 1.0 - smoothstep(FADE_START, FADE_END, length(place.xy));
    float hidden_key = 0.0;
    float all_key = 0.0;
    float hidden_sky = 0.0;
    for (int i = 0; i < count; ++i) {
        float facing = towards[i].z;
        all_key += facing;
        hidden_key += facing * (1.0 - visible(i, place, GROUND_BIAS));
        facing = towards[BATCH + i].z * dome_weight[i];
        if (facing > 0.0)
            hidden_sky += facing * (1.0 - visible(BATCH + i, place, GROUND_BIAS));
    }
    float key_share = KEY * key.z / (KEY * key.z + SKY);
    float shadow = key_share * float(count) * hidden_key / all_key
                 + (1.0 - key_share) * hidden_sky / dome_mean;
    lit = vec4(0.0);
    reach = weight * vec4(0.0, 0.0, GROUND_SHADOW * fade * shadow, 0.0);
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 seen = texelFetch(places, pixel, 0);
    vec4 normal = texelFetch(normals, pixel, 0);
    if (seen.w == NOTHING || seen.w == GROUND) {
        lit = reach = vec4(0.0);
        if (seen.w == GROUND)
            add_ground(seen.xyz);
        reach.w = weight * float(count) * normal.w;
    } else {
        add_part(seen.xyz, normal.xyz, seen.w == CAP ? CAP_GAIN : 1.0);
    }
}
