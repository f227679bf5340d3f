// Evens out the steps that so few samples leave in soft shadows, and nothing larger than a step.
// An edge-avoiding wavelet (Dammertz et al., 2010): wider in each pass.
uniform sampler2D values;  // the last component is what kind of surface they are of
uniform int stride;  // pixels
uniform vec3 step_size;  // what one sample more or less makes
layout(location = 0) out vec4 value;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(values, 0) - 1;
    vec4 center = texelFetch(values, pixel, 0);
    vec3 sum = 0.25 * center.xyz;
    vec3 weights = vec3(0.25);
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
            if (x == 0 && y == 0)
                continue;
            ivec2 at = clamp(pixel + stride * ivec2(x, y), ivec2(0), last);
            vec4 there = texelFetch(values, at, 0);
            float alike = there.w == center.w && center.w != NOTHING ? 1.0 : 0.0;
            vec3 steps = (there.xyz - center.xyz) / step_size;
            vec3 near = max(1.0 - steps * steps / 16.0, 0.0);
            vec3 share = alike * (x == 0 || y == 0 ? 0.125 : 0.0625) * near * near;
            sum += share * there.xyz;
            weights += share;
        }
    value = vec4(sum / weights, center.w);
}
