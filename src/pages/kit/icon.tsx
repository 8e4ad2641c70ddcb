import { ICON_PATHS } from './icon-paths.ts'

export type IconName = keyof typeof ICON_PATHS

/** A picture beside a word, which says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  )
}

/** Hues that are far enough apart to be told from each other. */
const HUES = 12
const SIZE = 22

/** The letter of a person in a colour of the name; the picture of what is no person. */
export function Avatar({ name, icon }: { name: string; icon?: IconName | undefined }) {
  const half = SIZE / 2
  return (
    <svg class="avatar" width={SIZE} height={SIZE} aria-hidden="true">
      {icon === undefined ? (
        <>
          <circle cx={half} cy={half} r={half} fill={colourOfName(name)} />
          <text x={half} y="15" text-anchor="middle" font-size="11" font-weight="600" fill="#fff">
            {initialOf(name)}
          </text>
        </>
      ) : (
        <g class="icon" transform="translate(3 3) scale(.667)">
          <path d={ICON_PATHS[icon]} />
        </g>
      )}
    </svg>
  )
}

/** The colour of a person, as dark in every hue: white is read on each. */
export function colourOfName(name: string): string {
  let sum = 0
  for (const character of name.toLowerCase())
    sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return `oklch(0.5 0.11 ${(sum % HUES) * (360 / HUES)})`
}

function initialOf(name: string): string {
  const [first = '?'] = Array.from(name.trim())
  return first.toUpperCase()
}
