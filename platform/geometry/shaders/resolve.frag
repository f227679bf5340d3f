// From the sums of all samples to the picture.
uniform sampler2D sums;
uniform sampler2D reaches;
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
    vec4 reach = texelFetch(reaches, pixel, 0);
    float open = reach.y > 0.0 ? reach.x / reach.y : 1.0;
    float page = 1.0 - lit.w - reach.z / samples;
    vec3 ghost = GHOST * reach.w / samples * (albedo - background);
    vec3 seen = albedo * (lit.x + lit.z * open) + lit.y + page * background + ghost;
    color = vec4(srgb(seen), 1.0);
}
