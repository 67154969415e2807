"use strict";
// Write a bot: extend `Bot`, override what you want to decide, and call `run`.
//
//   const { Bot, run } = require("bullring");
//
//   class MyBot extends Bot {
//     chooseCard(view) {
//       return Math.max(...view.hand);
//     }
//   }
//
//   run(MyBot);

const { Bot, bulls, gap, heads, lowestBy, widestPlay } = require("./bot.js");
const { run } = require("./client.js");

module.exports = { Bot, bulls, gap, heads, lowestBy, run, widestPlay };
