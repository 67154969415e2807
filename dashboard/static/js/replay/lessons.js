// @ts-check
/** The games explained: five pictures each, as what lies where. How they are drawn is in explain.js. */

/**
 * A part of a picture, in a box of 270 by 150. A card is 34 by 46; `new` marks the card it is about,
 * `gone` one that is taken away.
 * @typedef {["card", number, number, number, ("new" | "gone")?] | ["slot", number, number] |
 *   ["back", number, number] | ["bull", number, number] |
 *   ["arrow", number, number, number, number] | ["say", number, number, string, ("good" | "bad")?]} Part
 * @typedef {{title: string, text: string, parts: Part[]}} Lesson
 */

/**
 * Cards side by side.
 * @param {number} x
 * @param {number} y
 * @param {readonly number[]} cards
 * @param {"gone" | "new"} [how]
 * @returns {Part[]}
 */
function line(x, y, cards, how) {
  return cards.map((card, at) => ["card", x + at * 38, y, card, how]);
}

/** @type {Lesson} */
const HEADS = {
  title: "Bullheads cost points",
  text: "Most cards have 1 head. Numbers ending in 5 have 2, those ending in 0 have 3, doubles like 33 have 5, and 55 has 7. The fewest points win.",
  parts: [...line(42, 52, [7, 15, 20, 33, 55]), ["say", 59, 118, "1"], ["say", 97, 118, "2"], ["say", 135, 118, "3"], ["say", 173, 118, "5"], ["say", 211, 118, "7"]],
};

/** @type {Lesson} */
const TOGETHER = {
  title: "All choose at the same time",
  text: "Everyone puts one card face down. All are turned up together, and the lowest card is placed first.",
  parts: [
    ["back", 60, 2], ["back", 98, 2], ["back", 136, 2], ["back", 174, 2],
    ["arrow", 134, 52, 134, 70],
    ...line(60, 78, [14, 44, 61, 88]), ["say", 77, 142, "1st"], ["say", 115, 142, "2nd"], ["say", 153, 142, "3rd"], ["say", 191, 142, "4th"],
  ],
};

/** @type {Lesson[]} */
const SIX = [
  HEADS,
  TOGETHER,
  {
    title: "A card goes behind the closest lower one",
    text: "44 fits behind 12, 37 and 43, which are lower. 43 is the closest, so 44 goes to that row. Behind 58 it cannot go.",
    parts: [
      ["card", 14, 0, 12], ["card", 14, 50, 37], ["card", 14, 100, 43], ["slot", 52, 100], ["card", 150, 100, 58],
      ["card", 210, 30, 44, "new"], ["arrow", 206, 62, 92, 118],
      ["say", 122, 60, "closest below 44", "good"], ["say", 220, 128, "too high", "bad"],
    ],
  },
  {
    title: "The sixth card takes the row",
    text: "A row holds five cards. Who plays the sixth takes those five, here 6 heads, and the sixth card starts the row again.",
    parts: [
      ...line(8, 16, [12, 14, 15, 21, 26], "gone"), ["card", 226, 16, 30, "new"],
      ["arrow", 101, 68, 101, 94], ["say", 101, 114, "taken: 6 heads", "bad"],
      ["arrow", 243, 68, 243, 94], ["card", 226, 100, 30], ["say", 194, 128, "starts it"],
    ],
  },
  {
    title: "A card below every row",
    text: "3 is lower than all row ends, so it fits nowhere. Its owner takes a row of their choice, usually the cheapest, and 3 starts it again.",
    parts: [
      ["card", 14, 6, 30], ["card", 52, 6, 36], ["card", 14, 96, 58], ["card", 52, 96, 61], ["card", 106, 6, 43], ["card", 144, 6, 44], ["card", 106, 96, 37, "gone"],
      ["card", 220, 40, 3, "new"], ["arrow", 216, 76, 146, 114], ["say", 138, 78, "taken: 1 head", "bad"],
    ],
  },
];

/** @type {Lesson} */
const DRAFT = {
  title: "First, a draft",
  text: "All cards lie open. In turn everyone takes one, until all have ten. The last four start the rows, so everyone knows every hand.",
  parts: [
    ...line(20, 12, [3, 8, 15, 20, 21, 33]), ...line(20, 70, [40, 44, 52]), ["slot", 134, 70], ["card", 172, 70, 61], ["card", 210, 70, 64],
    ["arrow", 151, 94, 151, 128], ["say", 151, 145, "your pick", "good"],
  ],
};

/** @type {Lesson[]} */
const ELEVEN = [
  {
    title: "Get rid of your cards",
    text: "A round ends when a hand is empty or the deck runs out. Every bullhead still in your hand is then a point, and the fewest points win.",
    parts: [...line(60, 40, [47, 50, 55]), ["say", 134, 112, "1 + 3 + 7 = 11 points", "bad"], ["say", 134, 24, "left in hand"]],
  },
  {
    title: "Play a card up to 10 higher",
    text: "In your turn lay one card on a pile: it must be 1 to 10 above the top card. After 100 counting goes on with 1.",
    parts: [
      ["card", 40, 52, 31], ["say", 57, 118, "takes 32 to 41"],
      ["card", 150, 14, 36, "new"], ["arrow", 146, 44, 80, 66], ["say", 222, 42, "5 above", "good"],
      ["card", 150, 88, 46], ["say", 224, 116, "15 above", "bad"],
    ],
  },
  {
    title: "Or take a pile",
    text: "If no card fits you must take a pile into your hand; you may also take one by choice. Then two cards from the deck start new piles.",
    parts: [
      ["card", 16, 20, 31, "gone"], ["card", 22, 26, 36, "gone"], ["card", 28, 32, 46, "gone"],
      ["arrow", 66, 60, 112, 60], ["say", 158, 64, "your hand", "bad"],
      ["back", 16, 98], ["arrow", 56, 120, 96, 120], ["card", 104, 98, 23, "new"], ["card", 146, 98, 87, "new"], ["say", 224, 126, "new piles"],
    ],
  },
  {
    title: "Three or more: a bull card",
    text: "A pile of three or more cards gives whoever takes it a bull card. If none is left, it is stolen from the player with the most.",
    parts: [
      ["card", 24, 36, 87, "gone"], ["card", 30, 42, 92, "gone"], ["card", 36, 48, 98, "gone"], ["say", 52, 118, "3 cards"],
      ["arrow", 84, 70, 150, 70], ["bull", 184, 70], ["say", 184, 108, "a bull card", "good"],
    ],
  },
  {
    title: "Bull cards let you play more",
    text: "With a bull card you play several cards at once on one pile, all within 10 of its top. With two bull cards, on two piles, and so on.",
    parts: [
      ["bull", 24, 30], ["card", 16, 62, 33], ["arrow", 98, 84, 58, 84],
      ...line(104, 62, [34, 36, 43], "new"), ["say", 160, 128, "1, 3 and 10 above 33", "good"],
    ],
  },
];

/** @type {Lesson[]} */
const X = [
  {
    title: "Three rows that fill fast",
    text: "Cards go behind the closest lower row end, the lowest card first. The third card of row 1, the fourth of row 2 and the fifth of row 3 take what lies there.",
    parts: [
      ["card", 14, 0, 71], ["slot", 52, 0], ["bull", 107, 23],
      ["card", 14, 52, 12], ["slot", 52, 52], ["slot", 90, 52], ["bull", 145, 75],
      ["card", 14, 104, 33], ["slot", 52, 104], ["slot", 90, 104], ["slot", 128, 104], ["bull", 183, 127],
      ["say", 186, 28, "the 3rd takes"], ["say", 212, 80, "the 4th"], ["say", 238, 132, "the 5th"],
    ],
  },
  {
    title: "Below every row: take one",
    text: "A card lower than all row ends takes a row of its owner's choice, and starts that row again.",
    parts: [
      ["card", 20, 0, 97], ["card", 20, 52, 59, "gone"], ["card", 20, 104, 60], ["card", 58, 104, 81],
      ["card", 200, 52, 43, "new"], ["arrow", 196, 75, 60, 75], ["say", 130, 64, "taken", "bad"],
    ],
  },
  {
    title: "One card to your X row",
    text: "Of the cards you take, one goes to your X row, where it costs nothing. All others go to your hand: more cards to get rid of.",
    parts: [
      ...line(10, 50, [12, 18, 22]), ["arrow", 122, 62, 164, 36], ["arrow", 122, 86, 164, 114],
      ["card", 172, 6, 22, "new"], ["say", 238, 32, "X row", "good"], ["card", 172, 92, 12], ["card", 196, 92, 18], ["say", 250, 118, "hand", "bad"],
    ],
  },
  {
    title: "The X row must rise",
    text: "A card lower than the end of your X row sends the whole row to your X pile, and starts a new one.",
    parts: [
      ...line(10, 12, [17, 24, 38], "gone"), ["arrow", 124, 34, 176, 34], ["back", 184, 12], ["say", 201, 76, "X pile ×2", "bad"],
      ["card", 10, 92, 9, "new"], ["say", 140, 120, "9 is below 38: a new X row"],
    ],
  },
  {
    title: "Counting",
    text: "A round ends when a hand is empty. Heads in hand count once, heads in the X pile twice, the X row nothing. The fewest points win.",
    parts: [
      ...line(10, 34, [50, 12]), ["say", 45, 98, "hand: 4"], ["back", 110, 34], ["say", 127, 98, "X pile: 2 × 9"],
      ...line(180, 34, [17, 24]), ["say", 217, 98, "X row: 0", "good"], ["say", 135, 136, "4 + 18 = 22 points", "bad"],
    ],
  },
];

/**
 * The five pictures of a game.
 * @param {any} meta
 * @returns {readonly Lesson[]}
 */
export function lessonsFor({ rules, options }) {
  if (rules === "eleven-nimmt") return ELEVEN;
  if (rules === "x-nimmt") return X;
  return options.advanced ? [DRAFT, ...SIX.slice(1)] : SIX;
}

/**
 * When a game is over, in a sentence.
 * @param {any} meta
 * @returns {string}
 */
export function endingOf({ rules, options, players }) {
  if (rules === "eleven-nimmt") return `This game has ${players.length} rounds, one for each player; the points of all rounds are added.`;
  if (rules === "x-nimmt") return "This game has two rounds; their points are added.";
  if (options.limit !== undefined) return `Rounds of ten cards are played until a player has more than ${options.limit} points. Every head taken is a point, and the fewest win.`;
  const rounds = options.rounds === 1 ? "one round" : `${options.rounds} rounds`;
  return `This game has ${rounds} of ten cards. Every head taken is a point, and the fewest win.`;
}
