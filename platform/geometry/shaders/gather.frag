// From the sums of all samples to what is smoothed, and what may be smoothed with what.
uniform sampler2D sums;
uniform sampler2D reaches;
uniform sampler2D places;
uniform sampler2D normals;
uniform float samples;
layout(location = 0) out vec4 value;  // key and fill; gloss; share of the sky; shadow on the ground
layout(location = 1) out vec4 guide;  // normal; kind, NOTHING where a pixel is of several

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 lit = texelFetch(sums, pixel, 0) / samples;
    vec4 reach = texelFetch(reaches, pixel, 0);
    float kind = texelFetch(places, pixel, 0).w;
    value = vec4(lit.xy, reach.y > 0.0 ? reach.x / reach.y : 1.0, reach.z / samples);
    if (lit.w > 0.001 && (kind == GROUND || lit.w < 0.999))
        kind = NOTHING;
    guide = vec4(kind == GROUND ? vec3(0.0, 0.0, 1.0) : texelFetch(normals, pixel, 0).xyz, kind);
}
