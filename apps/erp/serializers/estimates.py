"""What estimates and the lines of a quote look like, for the document."""

from rest_framework import serializers


class TermSerializer(serializers.Serializer):
    """One part of a cost: so many units at a price, times a factor."""

    name = serializers.CharField()
    quantity = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()
    price = serializers.FloatField(allow_null=True, help_text="In the bureau's currency.")
    factor = serializers.FloatField()
    amount = serializers.FloatField(allow_null=True, help_text="Not rounded.")
    reason = serializers.CharField(allow_null=True, help_text="Why there is no amount.")
    source = serializers.CharField(  # type: ignore[assignment]
        allow_null=True, help_text="URI of what has the price."
    )


class CostSerializer(serializers.Serializer):
    """An amount in the order's currency; null where a term has none."""

    amount = serializers.FloatField(allow_null=True)
    currency = serializers.CharField()


class ConversionSerializer(serializers.Serializer):
    """What the sum of the terms was multiplied by."""

    def get_fields(self) -> dict[str, serializers.Field]:
        # The first is no Python name.
        return {
            "from": serializers.CharField(),
            "to": serializers.CharField(),
            "factor": serializers.FloatField(allow_null=True),
            "reason": serializers.CharField(allow_null=True),
        }


class PieceEstimateSerializer(serializers.Serializer):
    """What one piece takes and costs."""

    print_time = serializers.FloatField(allow_null=True)
    material = serializers.FloatField(allow_null=True)
    cost = CostSerializer()


class EstimatesSerializer(serializers.Serializer):
    """What all pieces of a line item take and cost: s, cm3 without supports, money."""

    print_time = serializers.FloatField(allow_null=True)
    material = serializers.FloatField(allow_null=True)
    cost = CostSerializer()
    per_piece = PieceEstimateSerializer()
    lead_time = serializers.FloatField(allow_null=True)
    lead_time_reason = serializers.CharField(allow_null=True)
    terms = TermSerializer(many=True)
    conversion = ConversionSerializer(allow_null=True)


class PriceTermSerializer(serializers.Serializer):
    """A part of a price, as the customer reads it."""

    step = serializers.CharField()
    sentence = serializers.CharField()
    amount = serializers.FloatField()


class TaxSerializer(serializers.Serializer):
    """A tax by its category of EN 16931."""

    category = serializers.CharField()
    rate = serializers.FloatField(help_text="Per cent.")
    basis = serializers.FloatField()
    amount = serializers.FloatField()
    sentence = serializers.CharField(allow_null=True)


class ParcelSerializer(serializers.Serializer):
    """What shipping asks about one piece."""

    grams = serializers.FloatField(allow_null=True)
    longest = serializers.FloatField(allow_null=True, help_text="mm")


class PriceSerializer(serializers.Serializer):
    """What a line item is sold for."""

    net = serializers.FloatField()
    taxes = TaxSerializer(many=True, required=False)
    gross = serializers.FloatField(required=False)
    unit = serializers.FloatField(required=False, help_text="The price of `unit_of` pieces.")
    unit_of = serializers.IntegerField(required=False)
    currency = serializers.CharField()
    terms = PriceTermSerializer(many=True)
    basis = serializers.CharField(required=False, help_text="`slice`, `estimate` or `manual`.")
    within = serializers.FloatField(required=False, help_text="How far off at most, per cent.")
    parcel = ParcelSerializer(required=False)
    agreed = serializers.CharField(
        required=False, help_text="URI of the price table that it was ordered by."
    )


class ReviewSerializer(serializers.Serializer):
    """Why a person must look before there is a price."""

    code = serializers.CharField()
    title = serializers.CharField()
    why = serializers.CharField(
        required=False, help_text="What exactly: for those who may change prices."
    )


class LineMaterialsSerializer(serializers.Serializer):
    """URIs of what a part and its supports are made of."""

    base = serializers.CharField(allow_null=True)
    support = serializers.CharField(allow_null=True)


class LineSerializer(serializers.Serializer):
    """What is offered of a line item; `line_item` is null for the order's own shipping."""

    line_item = serializers.CharField(allow_null=True)
    name = serializers.CharField()
    quantity = serializers.IntegerField()
    model = serializers.CharField(allow_null=True)
    materials = LineMaterialsSerializer()
    workflow = serializers.CharField(allow_null=True)
    config = serializers.CharField(allow_null=True)
    amount = serializers.FloatField(allow_null=True)
    lead_time = serializers.FloatField(allow_null=True)
    lead_time_reason = serializers.CharField(allow_null=True)
    terms = TermSerializer(many=True)
    conversion = ConversionSerializer(allow_null=True)
    price = PriceSerializer(allow_null=True)
    review = ReviewSerializer(many=True, allow_null=True)
