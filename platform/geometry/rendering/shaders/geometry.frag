// What is seen in each pixel from one position of the camera.
in vec3 place;
uniform float kind;
uniform float ghost;
layout(location = 0) out vec4 seen;
layout(location = 1) out vec4 normal;

void main() {
    seen = vec4(place, kind);
    normal = vec4(facet_normal(place), ghost);
}
