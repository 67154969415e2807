// @ts-check
/** Movement: elements glide from where they were to where they are (first, last, invert, play). */

/**
 * @typedef {{left: number, top: number, width: number}} Spot
 */

/** @returns {boolean} */
export function prefersCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * @param {Element} element
 * @returns {Spot}
 */
export function spotOf(element) {
  const { left, top, width } = element.getBoundingClientRect();
  return { left, top, width };
}

export class Movement {
  constructor() {
    /** @type {Set<Animation>} */
    this.running = new Set();
  }

  /** Finish all that still moves, so that the next movement starts from where things are. */
  settle() {
    for (const animation of this.running) animation.cancel();
    this.running.clear();
  }

  /**
   * @param {HTMLElement} element
   * @param {Spot} from
   * @param {Spot} to
   * @param {{duration: number, delay: number, turn?: boolean}} how
   */
  glide(element, from, to, { duration, delay, turn = false }) {
    const x = from.left - to.left;
    const y = from.top - to.top;
    const size = to.width ? from.width / to.width : 1;
    if (Math.abs(x) < 1 && Math.abs(y) < 1 && Math.abs(size - 1) < 0.02 && !turn) return;
    // A card that turns up is seen edge-on half way.
    const flat = turn ? "rotateY(80deg)" : "rotateY(0deg)";
    this.run(
      element,
      [
        { transform: `translate(${x}px, ${y}px) scale(${size}) ${flat}`, zIndex: 5 },
        { transform: "translate(0, 0) scale(1) rotateY(0deg)", zIndex: 5 },
      ],
      { duration, delay },
    );
  }

  /**
   * @param {HTMLElement} element
   * @param {{duration: number, delay: number}} how
   */
  arrive(element, how) {
    this.run(
      element,
      [
        { transform: "translateY(-14px) scale(0.94)", opacity: 0 },
        { transform: "none", opacity: 1 },
      ],
      how,
    );
  }

  /**
   * @param {HTMLElement} element
   * @param {Keyframe[]} frames
   * @param {{duration: number, delay: number}} how
   */
  run(element, frames, { duration, delay }) {
    const animation = element.animate(frames, {
      duration,
      delay,
      easing: "cubic-bezier(0.2, 0.7, 0.2, 1)",
      fill: "backwards",
    });
    this.running.add(animation);
    animation.onfinish = () => this.running.delete(animation);
  }
}
