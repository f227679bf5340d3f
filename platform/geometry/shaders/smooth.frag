// Evens out the steps that so few samples leave in soft shadows, and nothing larger than a step.
// An edge-avoiding wavelet (Dammertz et al., 2010): wider in each pass.
uniform sampler2D values;
uniform sampler2D guides;
uniform int stride;  // pixels
uniform vec4 step_size;  // what one sample more or less makes
layout(location = 0) out vec4 value;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(values, 0) - 1;
    vec4 center = texelFetch(values, pixel, 0);
    vec4 guide = texelFetch(guides, pixel, 0);
    vec4 sum = 0.25 * center;
    vec4 weights = vec4(0.25);
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
            if (x == 0 && y == 0)
                continue;
            ivec2 at = clamp(pixel + stride * ivec2(x, y), ivec2(0), last);
            vec4 there = texelFetch(values, at, 0);
            vec4 other = texelFetch(guides, at, 0);
            float alike = clamp((dot(other.xyz, guide.xyz) - 0.999) / 0.001, 0.0, 1.0);
            if (other.w != guide.w || guide.w == NOTHING)
                alike = 0.0;
            vec4 steps = (there - center) / step_size;
            vec4 near = max(1.0 - steps * steps / 16.0, 0.0);
            vec4 share = alike * (x == 0 || y == 0 ? 0.125 : 0.0625) * near * near;
            sum += share * there;
            weights += share;
        }
    value = sum / weights;
}
