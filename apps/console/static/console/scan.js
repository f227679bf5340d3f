// The camera of the page for labels: what it reads is sent by the form of the page.
"use strict";

const EVERY = 250; // ms between two looks
const form = document.getElementById("scan"), camera = document.getElementById("camera");
const video = camera.querySelector("video"), button = camera.querySelector("button");
const status = camera.querySelector("[role=status]");

async function start() {
  try {
    const detector = new BarcodeDetector({ formats: ["qr_code", "data_matrix", "code_128"] });
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
  form.elements.q.value = code.rawValue;
  form.requestSubmit();
}

camera.hidden = !("BarcodeDetector" in window && navigator.mediaDevices);
button.addEventListener("click", start);
if (!matchMedia("(pointer: coarse)").matches) form.elements.q.focus();
