"""Names of months and weekdays as diaries and exports write them, in seven languages."""

_MONTHS = (
    "january jan januar jän jänner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février févr febrero febbraio fevereiro fev februari",
    "march mar märz mrz mär mars marzo março maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août agosto ago augustus",
    "september sept sep septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
)
_WEEKDAYS = (
    "monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat "
    "sunday sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sa sonnabend "
    "sonntag so lundi lun mardi mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim lunes "
    "martes mié miércoles jueves jue viernes vie sábado sáb domingo dom lunedì martedì mercoledì "
    "giovedì gio venerdì sabato sab domenica segunda-feira terça-feira quarta-feira quinta-feira "
    "sexta-feira segunda terça quarta quinta sexta maandag ma dinsdag woensdag wo donderdag "
    "vrijdag vr zaterdag za zondag zo"
)

MONTH_NUMBERS = {
    name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()
}
"""The number of a month by its lower-case name, long or short."""
WEEKDAY_NAMES = frozenset(_WEEKDAYS.split())
"""Lower-case names of weekdays, long and short."""
