// <print-quote shop="name-of-the-storefront">: a storefront in the page of another website.
// The height of the frame follows its page; a placed order is the event "done" of the element,
// with the number of the order as `detail.number`.
"use strict";
(home => customElements.get("print-quote") || customElements.define("print-quote", class extends HTMLElement {
  connectedCallback() {
    const frame = this.frame ||= document.createElement("iframe");
    frame.title = this.title || "Storefront";
    frame.src = `${home}/s/${encodeURIComponent(this.getAttribute("shop") || "")}/`;
    Object.assign(frame.style, { border: 0, display: "block", width: "100%", height: "600px" });
    frame.onload = () => {
      frame.contentWindow.postMessage("print-quote", home);
      if (frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
    };
    this.listen ||= ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== home) return;
      if (data.height > 0) frame.style.height = `${Math.min(data.height, 1e5)}px`;
      if (data.done) this.dispatchEvent(new CustomEvent("done", { bubbles: true, detail: { number: data.done } }));
    };
    addEventListener("message", this.listen);
    this.replaceChildren(frame);
  }
  disconnectedCallback() { removeEventListener("message", this.listen); }
}))(new URL(document.currentScript.src).origin);
