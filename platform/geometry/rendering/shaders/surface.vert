// A surface in space, perhaps cut off above a height. The passes differ in what follows.
layout(location = 0) in vec3 position;
uniform mat4 projection;
uniform float cut;
out vec3 place;

void main() {
    place = position;
    gl_Position = projection * vec4(position, 1.0);
    gl_ClipDistance[0] = cut - position.z;
}
