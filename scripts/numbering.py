#!/usr/bin/env python3
"""Writes what wajubd knows of Africa's phone numbers, from libphonenumber's data. For a maintainer, not for CI:

    python3 -m venv /tmp/numbering && /tmp/numbering/bin/pip install phonenumbers==9.0.43
    /tmp/numbering/bin/python scripts/numbering.py

Rewrites Sources/Contract/MobileMoney/NumberingData.swift and Tests/ContractTests/MobileMoney/ExampleNumbers.swift.
For newer data: raise VERSION, run it, read the difference, run the tests.
"""

import pathlib
import random
import re
import re._parser as regex

import phonenumbers
from phonenumbers import carrier
from phonenumbers.carrierdata import CARRIER_DATA
from phonenumbers.phonemetadata import PhoneMetadata

VERSION = "9.0.43"

# Africa as the United Nations count it (M49), where somebody has a mobile number.
COUNTRIES = """
AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW IO KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE
RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW
""".split()

# libphonenumber marks Cameroon too, where the law provides for porting and no operator does it. The contract's own
# example of a mismatch is Cameroonian (seed 000, "Mobile Money").
NOT_PORTABLE_AFTER_ALL = {"CM"}

# What libphonenumber calls a carrier, and the network (`Network.swift`) it is. Carriers without Mobile Money are left
# out.
NETWORKS = {
    "9mobile": "9mobile", "Africell": "africell", "Airtel": "airtel", "Areeba": "mtn", "BTC Mobile": "btc",
    "CVMOVEL": "cvmovel", "Camtel": "camtel", "Cell C": "cellc", "Cellcom": "cellcom", "Celtiis": "celtiis",
    "Comium": "comium", "Djezzy": "djezzy", "Econet": "econet", "Econet Ezi-Cel Lesotho": "econet",
    "Eswatini Mobile": "eswatinimobile", "Ethio Telecom": "ethiotelecom", "Etisalat": "etisalat", "Evatis": "evatis",
    "Expresso": "expresso", "Gamcel": "gamcel", "Glo": "glo", "Golis Telecom": "golis", "Hormuud": "hormuud",
    "Inwi": "inwi", "Leo": "leo", "Libertis": "moov", "Libyana": "libyana", "Lonestar Cell": "mtn",
    "Lumitel": "lumitel", "MTC": "mtc", "MTN": "mtn", "MTN Cameroon": "mtn", "Maroc Telecom": "maroctelecom",
    "Mascom": "mascom", "Mattel": "mattel", "Mauritel": "moov", "Mobilis": "mobilis", "Moov": "moov",
    "Moov Africa": "moov", "Movicel": "movicel", "Movitel": "movitel", "NEXTTEL": "nexttel", "Net*One": "netone",
    "Ooredoo": "ooredoo", "Orange": "orange", "QCELL": "qcell", "QCell": "qcell", "Safaricom": "safaricom",
    "Somtel": "somtel", "Sotelma": "moov", "Spacetel": "mtn", "Sudatel": "sudatel", "Swazi MTN": "mtn",
    "T+": "unitel", "TE": "we", "TELCO": "yas", "TNM": "tnm", "Telecel": "telecel", "Telecel Faso": "telecel",
    "Telesom": "telesom", "Telkom": "telkom", "Telkom Mobile": "telkom", "Togo Telecom": "yas",
    "Tunisie Telecom": "tunisietelecom", "UNITEL": "unitel", "Unitel": "unitel", "Viettel": "halotel",
    "Vodacom": "vodacom", "Vodacom Lesotho (Pty) Ltd": "vodacom", "Vodafone": "vodafone", "Warid": "airtel",
    "Yas": "yas", "ZAMTEL": "zamtel", "Zain": "zain", "at": "at", "mcel": "tmcel",
}

DIGITS = "0123456789"


def sequences(pattern):
    """Every sequence of digit sets that a pattern of libphonenumber stands for."""

    def walk(tokens):
        found = [()]
        for operation, value in tokens:
            found = [head + tail for head in found for tail in one(str(operation), value)]
        return found

    def one(operation, value):
        if operation == "LITERAL":
            return [(chr(value),)]
        if operation == "IN":
            return [("".join(digit for digit in DIGITS if any(holds(part, digit) for part in value)),)]
        if operation == "BRANCH":
            return [each for branch in value[1] for each in walk(branch)]
        if operation == "SUBPATTERN":
            return walk(value[-1])
        if operation == "MAX_REPEAT":
            least, most, body = value
            bodies = walk(body)
            found, grown = [], [()]
            for count in range(most + 1):
                if count >= least:
                    found += grown
                grown = [head + tail for head in grown for tail in bodies]
            return found
        raise ValueError(f"{operation} in {pattern}")

    def holds(part, digit):
        operation, value = str(part[0]), part[1]
        if operation == "LITERAL":
            return chr(value) == digit
        if operation == "RANGE":
            return value[0] <= ord(digit) <= value[1]
        return operation == "CATEGORY"

    return walk(regex.parse(pattern))


def prefixes(sequence):
    """The digit strings that a sequence begins with, without its free end."""
    sequence = list(sequence)
    while sequence and sequence[-1] == DIGITS:
        sequence.pop()
    found = [""]
    for digits in sequence:
        found = [head + digit for head in found for digit in digits]
    return found


def collapsed(found):
    """The same set of numbers in the fewest prefixes."""
    found = {each for each in found if not any(each[:cut] in found for cut in range(len(each)))}
    for depth in range(max(map(len, found)), 0, -1):
        for parent in {each[:-1] for each in found if len(each) == depth}:
            children = {parent + digit for digit in DIGITS}
            if children <= found:
                found = found - children | {parent}
    return sorted(found)


class Plan:
    """What the table says of one country."""

    def __init__(self, country):
        data = PhoneMetadata.metadata_for_region(country)
        main = PhoneMetadata.metadata_for_region(phonenumbers.region_code_for_country_code(data.country_code))
        self.country, self.dial = country, str(data.country_code)
        # Gabon's is optional and in the parsing rule alone.
        optional = (data.national_prefix_for_parsing or "").startswith("0(")
        self.trunk = data.national_prefix or ("0" if optional else None)
        self.portable = bool(data.mobile_number_portable_region) and country not in NOT_PORTABLE_AFTER_ALL
        mobile = {}
        for sequence in sequences(data.mobile.national_number_pattern):
            mobile.setdefault(len(sequence), set()).update(prefixes(sequence))
        self.mobile = {length: collapsed(mobile[length]) for length in sorted(mobile)}
        self.rules = [
            (
                {each for one in sequences(rule.leading_digits_pattern[-1]) for each in prefixes(one)}
                if rule.leading_digits_pattern else {""},
                [{len(one) for one in sequences(group)} for group in re.findall(r"\((.*?)\)", rule.pattern)],
            )
            for rule in data.number_format or main.number_format
        ]
        self.carriers = {
            prefix[len(self.dial):]: names["en"]
            for prefix, names in CARRIER_DATA.items() if prefix.startswith(self.dial)
        }

    def leaves(self, borders):
        """The mobile prefixes with their lengths, split wherever a border falls inside one."""

        def split(prefix):
            if any(len(border) > len(prefix) and border.startswith(prefix) for border in borders):
                return [each for digit in DIGITS for each in split(prefix + digit)]
            return [prefix]

        return [(leaf, length) for length, found in self.mobile.items() for each in found for leaf in split(each)]

    def merged(self, labels):
        """Labels of leaves, as (shortest telling prefix, label): what no mobile number has does not matter."""
        found, todo = [], [""]
        while todo:
            prefix = todo.pop()
            below = {label for leaf, label in labels if leaf.startswith(prefix)}
            if len(below) == 1:
                found.append((prefix, below.pop()))
            elif len(below) > 1:
                todo += [prefix + digit for digit in DIGITS]
        return found

    def groupings(self):
        """Group sizes, and the prefixes that have them; those of shorter numbers first."""
        borders = {border for leading, _ in self.rules for border in leading}
        found = {}
        for length in self.mobile:
            labels = [(leaf, self.grouping(leaf, length)) for leaf, own in self.leaves(borders) if own == length]
            for prefix, sizes in self.merged(labels):
                found.setdefault(sizes, []).append(prefix)
        return sorted(((sizes, sorted(each)) for sizes, each in found.items()), key=lambda rule: (sum(rule[0]), rule))

    def grouping(self, leaf, length):
        for leading, groups in self.rules:
            if any(leaf.startswith(each) for each in leading):
                if len(groups) == 0 or not sum(map(min, groups)) <= length <= sum(map(max, groups)):
                    continue
                head = [min(group) for group in groups[:-1]]
                # A group of several sizes is the last one.
                assert all(len(group) == 1 for group in groups[:-1])
                return tuple(head + [length - sum(head)])
        return (length,)

    def networks(self):
        """Networks, and the prefixes that are theirs."""
        leaves = self.leaves(set(self.carriers))
        labels = [(leaf, NETWORKS.get(self.carrier(leaf), "")) for leaf, _ in leaves]
        found = {}
        for prefix, network in self.merged(labels):
            if network:
                found.setdefault(network, []).append(prefix)
        return {network: sorted(found[network]) for network in sorted(found)}

    def carrier(self, leaf):
        heads = [leaf[:cut] for cut in range(len(leaf), 0, -1)]
        return next((self.carriers[head] for head in heads if head in self.carriers), None)


def verify(plan):
    """Asks libphonenumber about random numbers, and expects the table to agree."""
    chance = random.Random(plan.country)
    shortest, longest = min(plan.mobile), max(plan.mobile)
    groupings, networks = plan.groupings(), plan.networks()
    pattern = re.compile(PhoneMetadata.metadata_for_region(plan.country).mobile.national_number_pattern)
    starts = [prefix for found in plan.mobile.values() for prefix in found]
    for _ in range(3000):
        length = chance.randint(shortest - 1, longest + 1)
        start = chance.choice(starts)[:chance.randint(0, 9)]
        number = (start + "".join(chance.choices(DIGITS, k=length)))[:length]
        is_mobile = number.startswith(tuple(plan.mobile.get(length, ["x"])))
        assert is_mobile == bool(pattern.fullmatch(number)), (plan.country, number)
        if not is_mobile:
            continue
        parsed = phonenumbers.parse(f"+{plan.dial}{number}")
        sizes = next(sizes for sizes, found in groupings if sum(sizes) == length and number.startswith(tuple(found)))
        cuts = [sum(sizes[:index]) for index in range(len(sizes) + 1)]
        grouped = " ".join(number[start:end] for start, end in zip(cuts, cuts[1:]))
        assert grouped == international(parsed), (plan.country, number, grouped, international(parsed))
        network = [network for network, found in networks.items() if number.startswith(tuple(found))]
        expected = NETWORKS.get(carrier.name_for_number(parsed, "en"))
        assert network == ([expected] if expected else []), (plan.country, number, network, expected)


def international(number):
    """The number in groups, without its dial code."""
    shape = phonenumbers.PhoneNumberFormat.INTERNATIONAL
    return phonenumbers.format_number(number, shape).split(" ", 1)[1].replace("-", " ")


def header(what):
    return f"""// swift-format-ignore-file
// Generated by scripts/numbering.py, which says how to make it anew. Not to be edited.
//
// {what}, from libphonenumber (Apache-2.0) by way of
// phonenumbers {VERSION}.
"""


def text(value):
    return '"' + value + '"'


def filled(items, separator, indent, width):
    """Items, as many to a line as fit."""
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) > width:
            lines.append("")
        lines[-1] += item + separator
    return ("\n" + " " * indent).join(line.rstrip() for line in lines)


def words(found):
    """One string literal of prefixes, over several lines where it is long."""
    return " + ".join(text(line) for line in filled(found, " ", 0, 90).split("\n")).replace(
        '" + "', ' "\n                    + "')


def entry(plan):
    trunk = text(plan.trunk) if plan.trunk else "nil"
    ranges = [f".init({length}, {words(found)})" for length, found in plan.mobile.items()]
    groups = [f".init({list(sizes)}, {words(found)})" for sizes, found in plan.groupings()]
    networks = [f".init({text(network)}, {words(found)})" for network, found in plan.networks().items()]
    body = "".join(
        f",\n            {name}: [{filled(items, ', ', 16, 70)[:-1]}]"
        for name, items in (("mobile", ranges), ("groupings", groups), ("networks", networks)) if items)
    return (
        f'        NumberingPlan(\n            "{plan.country}", dialCode: "{plan.dial}", trunkPrefix: {trunk}, '
        f"isPortable: {str(plan.portable).lower()}" + body + ")")


def swift(plans):
    return (
        header("The mobile numbering plans of Africa, and whose prefixes they are") + """
extension NumberingPlan {
    /// Every plan, the main country of a shared dial code first.
    static let all: [NumberingPlan] = """ + " + ".join(f"part{number}" for number in range(len(plans[::15]))) + "\n"
        + "".join(
            f"\n    private static let part{number}: [NumberingPlan] = [\n"
            + ",\n".join(map(entry, plans[number * 15:number * 15 + 15])) + ",\n    ]\n"
            for number in range(len(plans[::15])))
        + "}\n")


def fixture(plans):
    rows = []
    for plan in plans:
        number = phonenumbers.example_number_for_type(plan.country, phonenumbers.PhoneNumberType.MOBILE)
        shapes = phonenumbers.PhoneNumberFormat
        national = phonenumbers.national_significant_number(number)
        grouped = international(number)
        local = phonenumbers.format_number(number, shapes.NATIONAL)
        e164 = phonenumbers.format_number(number, shapes.E164)
        network = NETWORKS.get(carrier.name_for_number(number, "en"))
        network = f'"{network}"' if network else "nil"
        rows.append(f'        .init("{plan.country}", "{national}", "{local}", "{grouped}", "{e164}", {network}),\n')
    return header("An example mobile number of every country") + """
struct ExampleNumber: CustomTestStringConvertible {
    let country: String
    let national: String
    /// As it is dialled inside the country.
    let local: String
    /// In groups, without the dial code.
    let grouped: String
    let e164: String
    let network: String?

    init(
        _ country: String, _ national: String, _ local: String, _ grouped: String, _ e164: String, _ network: String?
    ) {
        (self.country, self.national, self.local, self.grouped) = (country, national, local, grouped)
        (self.e164, self.network) = (e164, network)
    }

    var testDescription: String { country }

    static let all: [ExampleNumber] = [
""" + "".join(rows) + "    ]\n}\n"


def main():
    assert phonenumbers.__version__ == VERSION, f"phonenumbers {phonenumbers.__version__} is not {VERSION}"
    plans = sorted(
        map(Plan, COUNTRIES),
        key=lambda plan: (
            plan.dial, phonenumbers.region_code_for_country_code(int(plan.dial)) != plan.country, plan.country))
    unknown = set(NETWORKS) - {name for plan in plans for name in plan.carriers.values()}
    assert not unknown, f"carriers that libphonenumber no longer names: {sorted(unknown)}"
    for plan in plans:
        verify(plan)
    root = pathlib.Path(__file__).resolve().parent.parent
    (root / "Sources/Contract/MobileMoney/NumberingData.swift").write_text(swift(plans))
    tests = fixture(plans).replace("\nstruct", "\nimport Testing\n\nstruct", 1)
    (root / "Tests/ContractTests/MobileMoney/ExampleNumbers.swift").write_text(tests)


if __name__ == "__main__":
    main()
