// From what all samples say to the picture.
uniform sampler2D values;
uniform sampler2D exacts;
uniform sampler2D rests;
uniform vec3 albedo;
uniform vec3 background;
out vec4 color;

vec3 srgb(vec3 value) {  // IEC 61966-2-1
    value = clamp(value, 0.0, 1.0);
    return mix(1.055 * pow(value, vec3(1.0 / 2.4)) - 0.055, 12.92 * value,
               lessThanEqual(value, vec3(0.0031308)));
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 value = texelFetch(values, pixel, 0);
    vec4 exact = texelFetch(exacts, pixel, 0);
    vec4 rest = texelFetch(rests, pixel, 0);
    float page = 1.0 - exact.w - rest.w * value.z;
    vec3 ghost = GHOST * rest.z * (albedo - background);
    vec3 seen = albedo * (exact.x * value.x + rest.y + exact.z * value.y) + exact.y * value.x
              + page * background + ghost;
    color = vec4(srgb(seen), 1.0);
}
