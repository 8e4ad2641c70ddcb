'use strict'
// Loaded into a server before everything else: its clock is wrong by as many milliseconds as a file says.
const { readFileSync } = require('node:fs')
const RealDate = Date
let shift = 0
setInterval(() => {
  shift = Number(readFileSync(process.env.SHIFTED_CLOCK, 'utf8'))
}, 100).unref()
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift)
    else super(...given)
  }
  static now() {
    return RealDate.now() + shift
  }
}
