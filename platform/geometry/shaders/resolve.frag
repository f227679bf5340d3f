// From what all samples say to the picture.
uniform sampler2D sums;
uniform sampler2D reaches;
uniform sampler2D values;
uniform vec3 albedo;
uniform vec3 background;
uniform float samples;
out vec4 color;

vec3 srgb(vec3 value) {  // IEC 61966-2-1
    value = clamp(value, 0.0, 1.0);
    return mix(1.055 * pow(value, vec3(1.0 / 2.4)) - 0.055, 12.92 * value,
               lessThanEqual(value, vec3(0.0031308)));
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 lit = texelFetch(sums, pixel, 0) / samples;
    vec4 value = texelFetch(values, pixel, 0);
    float page = 1.0 - lit.w - value.w;
    vec3 ghost = GHOST * texelFetch(reaches, pixel, 0).w / samples * (albedo - background);
    vec3 seen = albedo * (value.x + lit.z * value.z) + value.y + page * background + ghost;
    color = vec4(srgb(seen), 1.0);
}
