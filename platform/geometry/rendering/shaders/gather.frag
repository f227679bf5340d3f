// From the sums of all samples to what is smoothed, and what may be smoothed with what.
// Neighbours have other lights: what reaches them is joined where they are of one surface.
uniform sampler2D shades;
uniform sampler2D reaches;
uniform sampler2D rests;
uniform sampler2D places;
uniform sampler2D normals;
uniform float pixel_size;  // at a distance of 1
uniform float samples;  // of each pixel
uniform ivec2 tile;  // where pixels with equal lights are kept, side by side
layout(location = 0) out vec4 value;  // shares of key light and sky; of the shadow; kind or NOTHING
layout(location = 1) out vec4 exact;  // key; gloss; sky; coverage
layout(location = 2) out vec4 rest;  // of light.frag

ivec2 kept_at(ivec2 pixel) {
    return pixel / STRIDE + (pixel % STRIDE) * tile;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(places, 0) - 1;
    ivec2 at = kept_at(pixel);
    vec4 place = texelFetch(places, pixel, 0);
    vec3 normal = texelFetch(normals, pixel, 0).xyz;
    exact = texelFetch(shades, at, 0) / samples;
    rest = texelFetch(rests, at, 0) / samples;

    // A pixel of several faces is joined with neighbours of them all.
    Light light = unshadowed(place.xyz, normal);
    bool several = place.w == GROUND || place.w == NOTHING
                || abs(exact.x - light.key) + abs(exact.z - light.sky) > 0.02;
    vec4 reach = texelFetch(reaches, at, 0);
    vec2 shadow = samples * rest.xw;
    if (STRIDE > 1) {
        float near = 0.5 * pixel_size * length(place.xyz - eye);
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) {
                if (x == 0 && y == 0)
                    continue;
                ivec2 there = clamp(pixel + ivec2(x, y), ivec2(0), last);
                ivec2 kept = kept_at(there);
                float share = x == 0 || y == 0 ? 0.5 : 0.25;
                shadow += share * texelFetch(rests, kept, 0).xw;
                if (!several) {
                    vec4 other = texelFetch(places, there, 0);
                    if (other.w != place.w || abs(dot(normal, other.xyz - place.xyz)) > near)
                        share = 0.0;
                }
                reach += share * texelFetch(reaches, kept, 0);
            }
    }
    // A pixel that shows part and page is not smoothed.
    bool bordering = exact.w > 0.001 && (place.w == GROUND || exact.w < 0.999);
    value = vec4(reach.y > 0.0 ? reach.x / reach.y : 1.0, reach.w > 0.0 ? reach.z / reach.w : 1.0,
                 shadow.y > 0.0 ? shadow.x / shadow.y : 0.0, bordering ? NOTHING : place.w);
}
