// Without this script the page is in English and the two buttons still work (they are plain CSS).
const zh = document.getElementById("zh");
const en = document.getElementById("en");
const say = () => { document.documentElement.lang = zh.checked ? "zh-Hans" : "en"; };
if ((location.hash === "#lang=zh") || (location.hash !== "#lang=en" && /^zh\b/i.test(navigator.language || ""))) zh.checked = true;
zh.addEventListener("change", say);
en.addEventListener("change", say);
say();
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
// A table that goes on beyond its frame says so below it.
const more = document.getElementById("more");
const measure = () => {
  for (const frame of document.querySelectorAll(".scroll")) {
    const after = frame.nextElementSibling;
    const told = after !== null && after.classList.contains("more");
    const wide = frame.scrollWidth > frame.clientWidth + 1;
    if (wide && !told) frame.after(more.content.cloneNode(true));
    if (!wide && told) after.remove();
  }
};
addEventListener("resize", measure);
document.addEventListener("toggle", measure, true);
for (const one of [zh, en]) one.addEventListener("change", measure);
measure();
