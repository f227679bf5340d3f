// The camera and the photo of the page for labels: what is read is sent by a form of the page.
"use strict";

const EVERY = 250; // ms between two looks
const FORMATS = { formats: ["qr_code", "data_matrix", "code_128"] };
const SIDE = 2400; // pixels of the longer side of a photo that is sent
const form = document.getElementById("scan"), camera = document.getElementById("camera");
const video = camera.querySelector("video"), button = camera.querySelector("button");
const photo = document.getElementById("photo");
const status = camera.querySelector("[role=status]");

async function start() {
  try {
    const detector = new BarcodeDetector(FORMATS);
    video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    await video.play();
    video.hidden = false; button.hidden = true; status.textContent = "";
    look(detector);
  } catch { status.textContent = status.dataset.denied; }
}

async function look(detector) {
  const [code] = await detector.detect(video).catch(() => []);
  if (!code) { setTimeout(look, EVERY, detector); return; }
  for (const track of video.srcObject.getTracks()) track.stop();
  open(code);
}

function open(code) {
  form.elements.q.value = code.rawValue;
  form.requestSubmit();
}

// A photo is read here where the browser can; else it is sent, made smaller.
async function read() {
  const [file] = photo.files;
  if (!file) return;
  try {
    const picture = await createImageBitmap(file);
    const found = "BarcodeDetector" in window ? await new BarcodeDetector(FORMATS).detect(picture).catch(() => []) : [];
    if (found.length) { open(found[0]); return; }
    await shrink(picture, file);
  } catch { /* it is sent as it is, and the server says what is wrong */ }
  photo.form.requestSubmit();
}

async function shrink(picture, file) {
  const part = SIDE / Math.max(picture.width, picture.height);
  if (part >= 1) return;
  const canvas = new OffscreenCanvas(Math.round(picture.width * part), Math.round(picture.height * part));
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const smaller = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
  const files = new DataTransfer();
  files.items.add(new File([smaller], file.name, { type: smaller.type }));
  photo.files = files.files;
}

camera.hidden = !("BarcodeDetector" in window && navigator.mediaDevices);
button.addEventListener("click", start);
photo.addEventListener("change", read);
if (!matchMedia("(pointer: coarse)").matches) form.elements.q.focus();
