// The wheel and two fingers zoom a plan, and where `canPan()`, one finger or the mouse moves it.

// Movements below this are no drag, in px.
const CLICK = 4;

// Calls zoom(factor, x, y) with the point that stays, which returns whether there was anything to do, and pan(dx, dy), all in px of the element.
export function zooms(element, { zoom, pan, canPan = () => false, onPinch = () => {} }) {
  const pointers = new Map();
  let moved = 0;
  const place = (event) => {
    const { left, top } = element.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const drag = ([x, y], [fromX, fromY]) => {
    moved += Math.hypot(x - fromX, y - fromY);
    if (moved > CLICK) pan(x - fromX, y - fromY);
  };
  element.addEventListener('wheel', (event) => {
    const pixels = event.deltaY * (event.deltaMode ? 16 : 1);
    if (zoom(Math.exp(-pixels / 500), ...place(event))) event.preventDefault();
  }, { passive: false });
  // Two fingers do not scroll the page.
  for (const kind of ['touchstart', 'touchmove']) element.addEventListener(kind, (event) => { if (event.touches.length > 1) event.preventDefault(); }, { passive: false });
  const move = (event) => {
    const from = pointers.get(event.pointerId);
    if (!from) return;
    const at = place(event);
    pointers.set(event.pointerId, at);
    if (pointers.size === 1) {
      if (canPan()) drag(at, from);
      return;
    }
    const [, other] = [...pointers].find(([id]) => id !== event.pointerId);
    moved = Infinity;
    pan((at[0] - from[0]) / 2, (at[1] - from[1]) / 2);
    zoom(Math.hypot(at[0] - other[0], at[1] - other[1]) / Math.max(1, Math.hypot(from[0] - other[0], from[1] - other[1])), (at[0] + other[0]) / 2, (at[1] + other[1]) / 2);
  };
  // On the window: what a finger touched may be drawn again, and the mouse may leave the plan.
  const listen = (change) => {
    window[change]('pointermove', move);
    for (const kind of ['pointerup', 'pointercancel']) window[change](kind, end);
  };
  function end(event) {
    pointers.delete(event.pointerId);
    if (!pointers.size) listen('removeEventListener');
  }
  element.addEventListener('pointerdown', (event) => {
    if (!pointers.size) moved = 0;
    if (event.pointerType !== 'touch' && (event.button || !canPan())) return;
    pointers.set(event.pointerId, place(event));
    listen('addEventListener');
    if (pointers.size === 2) onPinch();
  });
  // A drag ends without a click.
  element.addEventListener('click', (event) => { if (moved > CLICK) event.stopImmediatePropagation(); moved = 0; }, { capture: true });
}
