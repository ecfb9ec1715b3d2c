// Before the first paint, so that nothing flashes: the theme chosen by hand, if one was.
try {
  const chosen = localStorage.getItem("citegraph.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be switched off: the system decides.
}
