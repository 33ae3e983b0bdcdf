/** Cases of the corpus on which we differ on purpose: the rule of the design that we keep instead, and what it means there. */
export interface Difference {
  rule: number;
  why: string;
}

const kept: readonly (Difference & { cases: string })[] = [
  {
    rule: 6,
    why: "the name and the shape make a call; whether its arguments fit the schema is for the client to say",
    cases:
      "c0642 c0647 c0649 c1012 c1597 c1609 c1613 c1617 c1622 c1623 c1631 c1632 c1635 c1638 c1644 c1645 c1653 c1656 c1657 c1659 c1661 c1662 c1663",
  },
  {
    rule: 9,
    why: "arguments stay as they are written where the schema does not plainly forbid them",
    cases:
      "c0648 c0650 c1556 c1575 c1582 c1583 c1612 c1614 c1616 c1629 c1630 c1633 c1639 c1855 c1878 c1879 c1880 c1881 c1882 c1883 c1884 c1885",
  },
  {
    rule: 5,
    why: "what stops in the middle of a value or of a tag is no call",
    cases: "c0474 c0902 c1071 c1096 c1098 c1106 c1119 c1180 c1669 c1670 c1671 c1924 c2200 c2204",
  },
  {
    rule: 9,
    why: "a declared string stays what is written, quotes, entities, tags and all",
    cases: "c0917 c0927 c1685 c1746 c1747 c1748 c1749 c1751 c1752 c1763 c1782 c1785 c1861 c1862 c2232",
  },
  {
    rule: 9,
    why: "without a declared type a value is a string",
    cases: "c1770 c1844 c2213 c2290 c2339 c2357 c2367",
  },
  {
    rule: 6,
    why: "a tool is called by its name, not by one like it",
    cases: "c0651 c0652",
  },
];

/** By the id of the case. */
export const differences: ReadonlyMap<string, Difference> = new Map(
  kept.flatMap(({ cases, rule, why }) => cases.split(" ").map((id): [string, Difference] => [id, { rule, why }])),
);
