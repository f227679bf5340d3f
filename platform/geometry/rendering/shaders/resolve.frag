// From what all samples say to the picture.
uniform sampler2D values;
uniform sampler2D exacts;
uniform sampler2D rests;
uniform vec3 albedo;
uniform vec3 background;
uniform bool transparent;
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
    float ghost = GHOST * rest.z;
    vec3 part = albedo * (exact.x * value.x + rest.y + exact.z * value.y) + exact.y * value.x;
    vec3 seen = srgb(part + page * background + ghost * (albedo - background));
    // Browsers blend sRGB levels: over the background this is what is seen without transparency.
    float alpha = transparent ? 1.0 - srgb(vec3(page - ghost)).x : 1.0;
    vec3 bare = (seen - srgb(background) * (1.0 - alpha)) / max(alpha, 1e-4);
    color = vec4(clamp(bare, 0.0, 1.0), alpha);
}
