// Without this script the page is in English and the two buttons still work (they are plain CSS).
const zh = document.getElementById("zh");
const en = document.getElementById("en");
const say = () => { document.documentElement.lang = zh.checked ? "zh-Hans" : "en"; };
if ((location.hash === "#lang=zh") || (location.hash !== "#lang=en" && /^zh\b/i.test(navigator.language || ""))) zh.checked = true;
zh.addEventListener("change", say);
en.addEventListener("change", say);
say();
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
