// The picture without shadows, in one pass.
in vec3 place;
uniform vec3 albedo;
uniform float gain;
uniform bool ghost;  // only a silhouette of what is cut off
uniform vec3 page;
out vec4 color;

void main() {
    Light light = unshadowed(place, facet_normal(place));
    vec3 seen = gain * (albedo * (light.key + light.sky + light.fill) + light.gloss);
    if (ghost)
        seen = mix(page, albedo, GHOST);
    // Square roots: eight bits suffice, and multisampling averages as the eye does.
    color = vec4(sqrt(clamp(seen, 0.0, 1.0)), 1.0);
}
