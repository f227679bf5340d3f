// How a surface is lit where nothing stands in the light; shared by the passes below.
uniform vec3 eye;
uniform vec3 key;

struct Light {
    float key;
    float sky;
    float fill;
    float gloss;
};

// The normal of a flat facet, on the side that is seen: what the file says of it is not needed.
vec3 facet_normal(vec3 place) {
    vec3 normal = cross(dFdx(place), dFdy(place));
    vec3 view = eye - place;
    float size = length(normal);
    normal = size > 0.0 ? normal / size : normalize(view);
    return dot(normal, view) < 0.0 ? -normal : normal;
}

Light unshadowed(vec3 place, vec3 normal) {
    vec3 view = normalize(eye - place);
    float facing = max(dot(normal, key), 0.0);
    float glance = max(dot(normal, normalize(key + view)), 0.0);
    float third = glance * glance * glance, twelfth = third * third * third * third;
    float glossy = twelfth * twelfth;  // glance to the 24th, which pow() takes far longer for
    return Light(
        KEY * facing,
        SKY * 0.5 * (1.0 + normal.z) + BOUNCE * 0.5 * (1.0 - normal.z),
        FILL * max(dot(normal, view), 0.0),
        SPECULAR * glossy * facing
    );
}
